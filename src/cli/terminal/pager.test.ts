import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pageOutput } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-pager-"));
afterAll(() => rmSync(folder, { recursive: true }));

const longText = "a line\n".repeat(30);

async function terminalOutput(
  text: string,
  options: { command?: string; interactive?: boolean; pager?: string } = {},
) {
  const { command = "search", interactive = true, pager = `cat > ${folder}/paged` } = options;
  let directOutput = "";
  const out = (piece: string): void => {
    directOutput += piece;
  };
  const environment = { PATH: process.env.PATH, PAGER: pager };
  const pagedOutput = pageOutput(command, { out, interactive, rows: 24, environment });
  pagedOutput.terminal.out(text);
  await pagedOutput.flush();
  return directOutput;
}

test("output that is longer than the screen is shown in the pager", async () => {
  expect(await terminalOutput(longText)).toBe("");
  expect(readFileSync(join(folder, "paged"), "utf8")).toBe(longText);
});

test.each([
  ["output that fits on the screen", "a line\n", {}],
  ["output that is not on a terminal", longText, { interactive: false }],
  ["output of other commands", longText, { command: "serve" }],
  ["output when PAGER is empty", longText, { pager: "" }],
  ["output when the pager does not exist", longText, { pager: "/nonexistent/pager" }],
])("the pager is not used for %s", async (_title, text, options) => {
  expect(await terminalOutput(text, options)).toBe(text);
});
