import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pageOutput } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-pager-"));
afterAll(() => rmSync(folder, { recursive: true }));

const long = "a line\n".repeat(30);

async function terminalOutput(
  text: string,
  options: { command?: string; interactive?: boolean; pager?: string } = {},
) {
  const { command = "search", interactive = true, pager = `cat > ${folder}/paged` } = options;
  let direct = "";
  const out = (piece: string): void => {
    direct += piece;
  };
  const environment = { PATH: process.env.PATH, PAGER: pager };
  const paged = pageOutput(command, { out, interactive, rows: 24, environment });
  paged.terminal.out(text);
  await paged.flush();
  return direct;
}

test("output that is longer than the screen is shown in the pager", async () => {
  expect(await terminalOutput(long)).toBe("");
  expect(readFileSync(join(folder, "paged"), "utf8")).toBe(long);
});

test.each([
  ["output that fits on the screen", "a line\n", {}],
  ["output that is not on a terminal", long, { interactive: false }],
  ["output of other commands", long, { command: "serve" }],
  ["output when PAGER is empty", long, { pager: "" }],
  ["output when the pager does not exist", long, { pager: "/nonexistent/pager" }],
])("the pager is not used for %s", async (_title, text, options) => {
  expect(await terminalOutput(text, options)).toBe(text);
});
