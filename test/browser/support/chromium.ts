import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const finder = join(import.meta.dirname, "../../../.ci/chromium");

/** Starts the Chromium of this machine, which .ci/chromium finds or installs; without one the tests fail and say so. */
export function startChromium(): Promise<Browser> {
  const executablePath = execFileSync(finder, { encoding: "utf8" }).trim();
  // A sandbox of its own is not to be had as root; the pages are ours.
  return chromium.launch({ executablePath, chromiumSandbox: false });
}
