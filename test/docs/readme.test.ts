import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sampleFiles } from "../../src/cli/demo/write-samples.ts";
import { runCommand } from "../../testkit/service/run-command.ts";

const root = join(import.meta.dirname, "../..");
const readmeText = () => readFileSync(join(root, "README.md"), "utf8");

/** Data folder of the demo. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-readme-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A line without ports, times, ids, keys and cursors. */
function lineShape(line: string): string {
  return line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")
    .replaceAll(/app\.bsky\.feed\.post\/\w+|\/post\/\w+/g, "POST")
    .replace(/^x-next-cursor: .*/, "x-next-cursor: CURSOR")
    .replaceAll(/\d+/g, "#");
}

test("the README shows what the demo prints, except at the places marked with …, and the demo leaves nothing behind", async () => {
  const readme = readmeText();
  const [command, ...shown] = /```console\n([\s\S]*?)\n```/.exec(readme)?.[1]?.split("\n") ?? [];
  expect(command).toBe("$ npm run demo");
  expect(shown.length).toBeGreaterThan(40);

  const { code, out: printed, notes } = await runCommand(["demo"]);
  expect(notes).toBe("");
  expect(code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  const lines = printed.split("\n").map(lineShape);
  let from = 0;
  for (const line of shown.filter((line) => line.trim() !== "…")) {
    const index = lines.indexOf(lineShape(line), from);
    expect(index, `not printed, or not in this order: ${line}`).toBeGreaterThanOrEqual(from);
    from = index + 1;
  }
});

test("the README's imports accept all sample posts, and its searches find some of them", async () => {
  const readme = readmeText();
  const environment = { EARSHOT_DATA_DIR: folder };
  const imports = [...readme.matchAll(/^npx earshot (import samples\/.*)$/gm)];
  expect(imports).toHaveLength(sampleFiles().size);
  for (const [, command = ""] of imports) {
    const [verb = "", file = "", ...options] = command.split(" ");
    const { code, out } = await runCommand([verb, join(root, file), ...options], environment);
    expect(code).toBe(0);
    expect(out).toMatch(/ [1-9]\d* imported, 0 updated, 0 unchanged, 0 rejected /);
  }
  const bodies = [...readme.matchAll(/^ {2}.*-d '(\{.*"searchbyfullarchive".*\})'/gm)];
  expect(bodies).toHaveLength(2);
  for (const [, body = ""] of bodies) {
    const { query } = JSON.parse(body).arguments;
    const { out } = await runCommand(["search", query, "--ndjson"], environment);
    expect(out.trim().split("\n").length, query).toBeGreaterThan(5);
  }
});

test("the sample files contain what the script writes, and take less than 60 kB", () => {
  let bytes = 0;
  for (const [name, text] of sampleFiles()) {
    const file = readFileSync(join(root, "samples", name));
    bytes += file.length;
    expect(gunzipSync(file).toString("utf8"), name).toBe(text);
  }
  expect(bytes).toBeLessThan(60_000);
});
