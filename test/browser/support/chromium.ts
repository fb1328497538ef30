import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const finder = join(import.meta.dirname, "../../../.ci/chromium");

/** Starts the Chromium that .ci/chromium finds or installs. */
export function startChromium(): Promise<Browser> {
  const executablePath = execFileSync(finder, { encoding: "utf8" }).trim();
  // Root cannot use the sandbox.
  return chromium.launch({ executablePath, chromiumSandbox: false });
}
