import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { withGeneratedPart } from "../lib/generated-part.ts";
import { packageRoot } from "../lib/package-root.ts";
import { commandNames, makeProgram } from "./program.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** The page that `npm run docs` regenerates. */
export const commandsPage = new URL("docs/commands.md", packageRoot);

const markers = [
  "<!-- commands: generated from the commands' help -->",
  "<!-- end of commands -->",
] as const;

export async function withCommands(page: string): Promise<string> {
  return withGeneratedPart(page, markers, await renderSections());
}

async function renderSections(): Promise<string> {
  const overview: NamedCommand = {
    command: await makeProgram(silentTerminal, undefined),
    name: "earshot",
  };
  const programs = await Promise.all(commandNames.map((name) => makeProgram(silentTerminal, name)));
  const commands = programs.flatMap(({ commands: programCommands }) =>
    programCommands.flatMap((command) => everyCommand(command, "earshot")),
  );
  return [overview, ...commands].map(renderSection).join("\n");
}

const silentTerminal: Terminal = {
  out: () => undefined,
  note: () => undefined,
  interactive: false,
  interactiveNotes: false,
  columns: 100,
  colour: false,
  environment: {},
  stopSignal: new AbortController().signal,
};

type NamedCommand = { command: Command; name: string };

function everyCommand(command: Command, parent: string): NamedCommand[] {
  const name = `${parent} ${command.name()}`.trim();
  return [{ command, name }, ...command.commands.flatMap((child) => everyCommand(child, name))];
}

function renderSection({ command, name }: NamedCommand): string {
  const output: string[] = [];
  command.configureOutput({ writeOut: (text) => output.push(text) });
  command.outputHelp();
  const help = withoutHelpOption(output.join(""));
  const ownHelp = name === "earshot" ? help : withoutSubcommands(help);
  return `## ${name}\n\n\`\`\`text\n${ownHelp.trimEnd()}\n\`\`\`\n`;
}

/** The page documents --help only once. */
function withoutHelpOption(help: string): string {
  return help
    .replace(/^ {2}-h, --help +print this help\n/m, "")
    .replace(/\nOptions:\n(?=\n|$)/, "");
}

/** Subcommands have sections of their own. */
const withoutSubcommands = (help: string): string =>
  help.replace(/\nCommands:\n(?: {2}.*\n?)+/, "");

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(commandsPage, await withCommands(await readFile(commandsPage, "utf8")));
}
