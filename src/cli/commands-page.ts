import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { makeProgram } from "./program.ts";

/** The page that shows every command's help; `npm run docs` writes its blocks anew. */
export const commandsPage = new URL("../../docs/commands.md", import.meta.url);

const begin = "<!-- commands: made from the commands' own help -->";
const end = "<!-- end of commands -->";

/** The page with the commands as they are now. */
export async function withCommands(page: string): Promise<string> {
  const head = page.slice(0, page.indexOf(begin));
  const tail = page.slice(page.indexOf(end));
  return `${head}${begin}\n\n${await sections()}\n${tail}`;
}

async function sections(): Promise<string> {
  const program = await makeProgram(
    {
      out: () => undefined,
      note: () => undefined,
      interactive: false,
      interactiveNotes: false,
      columns: 100,
      colour: false,
      environment: {},
      stopping: new AbortController().signal,
    },
    null,
  );
  return everyCommand(program, "").map(section).join("\n");
}

type Named = { command: Command; name: string };

function everyCommand(command: Command, parent: string): Named[] {
  const name = `${parent} ${command.name()}`.trim();
  return [{ command, name }, ...command.commands.flatMap((child) => everyCommand(child, name))];
}

/** What `--help` prints, the text that surrounds it included. */
function section({ command, name }: Named): string {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) });
  command.outputHelp();
  return `## ${name}\n\n\`\`\`text\n${written.join("").trimEnd()}\n\`\`\`\n`;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(commandsPage, await withCommands(await readFile(commandsPage, "utf8")));
}
