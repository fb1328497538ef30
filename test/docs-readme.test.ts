import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runCommand } from "./support/run-command.ts";

/** Where the demo keeps what it makes: nobody else writes there. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-readme-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A line without what differs from one run to the next: ports, times, ids, keys, cursors. */
function shapeOf(line: string): string {
  return line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")
    .replaceAll(/app\.bsky\.feed\.post\/\w+|\/post\/\w+/g, "POST")
    .replace(/^x-next-cursor: .*/, "x-next-cursor: CURSOR")
    .replaceAll(/\d+/g, "#");
}

test("the README shows what the demo prints, but for the places marked with …; it leaves nothing behind", async () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
  const [command, ...shown] = /```console\n([\s\S]*?)\n```/.exec(readme)?.[1]?.split("\n") ?? [];
  expect(command).toBe("$ npm run demo");
  expect(shown.length).toBeGreaterThan(40);

  const { code, out: printed, notes } = await runCommand(["demo"]);
  expect(notes).toBe("");
  expect(code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  const lines = printed.split("\n").map(shapeOf);
  let from = 0;
  for (const line of shown.filter((line) => line.trim() !== "…")) {
    const at = lines.indexOf(shapeOf(line), from);
    expect(at, `not printed, or not in this order: ${line}`).toBeGreaterThanOrEqual(from);
    from = at + 1;
  }
});
