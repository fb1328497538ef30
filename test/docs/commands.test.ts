import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { commandsPage, withCommands } from "../../src/cli/commands-page.ts";

test("docs/commands.md shows the help of every command (npm run docs regenerates it)", async () => {
  const page = await readFile(commandsPage, "utf8");
  expect(page).toBe(await withCommands(page));
  const commands = [
    "serve",
    "demo",
    "import",
    "search",
    "counts",
    "explain",
    "keys create",
    "keys list",
  ];
  for (const command of commands) expect(page).toContain(`## earshot ${command}\n`);
});

test("the help of every command explains what it does", async () => {
  const page = await readFile(commandsPage, "utf8");
  const helps = [...page.matchAll(/^## (.+)\n\n```text\n([\s\S]*?)```/gm)];
  expect(helps.length).toBeGreaterThan(9);
  for (const [, name, help] of helps) {
    expect(help, name).toMatch(/^Usage: earshot/);
    expect(help?.split("\n")[2]?.length, name).toBeGreaterThan(20);
  }
});
