import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../../../testkit/service/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function getScript(shell: string): Promise<string> {
  const { code, out, notes } = await runCommand(["completion", shell]);
  expect(code, notes).toBe(0);
  return out;
}

function bashCompletions(script: string, words: readonly string[]): string[] {
  const run = `${script}
COMP_WORDS=(earshot ${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length}
_earshot
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", run], { encoding: "utf8" }).trim().split("\n");
}

test("bash completes commands, subcommands, options and choices", async () => {
  const script = await getScript("bash");
  expect(bashCompletions(script, ["se"])).toEqual(["serve", "search"]);
  expect(bashCompletions(script, ["keys", "cr"])).toEqual(["create"]);
  expect(bashCompletions(script, ["keys", "create", "--na"])).toEqual(["--name"]);
  expect(bashCompletions(script, ["search", "comet", "--nd"])).toEqual(["--ndjson"]);
  expect(bashCompletions(script, ["counts", "comet", "--pr"])).toEqual(["--profile"]);
  expect(bashCompletions(script, ["completion", ""])).toEqual(["bash", "zsh", "fish", "--help"]);
  expect(bashCompletions(script, ["search", "comet", "x"])).toEqual([""]);
});

/** Null if the shell is not installed. */
function runShell(shell: string, args: readonly string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync(shell, args, { encoding: "utf8" });
  if (error !== undefined) {
    console.warn(`${shell} is not installed: its script was not run`);
    return null;
  }
  expect(status, stderr).toBe(0);
  return stdout;
}

test("the completion script can be parsed by zsh", async () => {
  const path = join(folder, "zsh");
  writeFileSync(path, await getScript("zsh"));
  runShell("zsh", ["-n", path]);
});

test("fish completes commands, subcommands and options", async () => {
  const path = join(folder, "fish");
  writeFileSync(path, await getScript("fish"));
  const complete = (line: string) =>
    runShell("fish", ["-c", `source ${path}; complete -C '${line}'`]);
  if (complete("earshot ke") === null) return;
  expect(complete("earshot ke")).toMatch(/^keys\t/);
  expect(complete("earshot keys cr")).toMatch(/^create\t/);
  expect(complete("earshot keys create --na")).toMatch(/^--name\t/);
  expect(complete("earshot completion f")).toMatch(/^fish\b/m);
});

test("an unknown shell is a usage error", async () => {
  const { code, notes } = await runCommand(["completion", "tcsh"]);
  expect(code).toBe(2);
  expect(notes).toContain("bash, zsh, fish");
});
