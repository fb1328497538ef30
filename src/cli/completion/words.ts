import type { Command } from "commander";

/** An empty `path` is `earshot` itself. */
export type CommandWords = { path: string; words: readonly Word[] };

type Word = { text: string; description: string; isCommand: boolean };

export function completionWords(commands: readonly Command[]): readonly CommandWords[] {
  const help: Word = { text: "--help", description: "print this help", isCommand: false };
  const version: Word = { text: "--version", description: "print the version", isCommand: false };
  const top = { path: "", words: [...commands.map(commandWord), help, version] };
  return [top, ...commands.flatMap((command) => subtreeWords(command, command.name(), help))];
}

function subtreeWords(command: Command, path: string, help: Word): CommandWords[] {
  const options = command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ text: long ?? "", description, isCommand: false }));
  const choices = command.registeredArguments
    .flatMap(({ argChoices = [] }) => argChoices)
    .map((text) => ({ text, description: "", isCommand: false }));
  const words = [...command.commands.map(commandWord), ...choices, ...options, help];
  return [
    { path, words },
    ...command.commands.flatMap((child) => subtreeWords(child, `${path} ${child.name()}`, help)),
  ];
}

function commandWord(command: Command): Word {
  const description = command.summary() || command.description();
  return { text: command.name(), description, isCommand: true };
}
