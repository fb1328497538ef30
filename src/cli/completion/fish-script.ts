import type { CommandWords } from "./words.ts";

export function fishScript(all: readonly CommandWords[]): string {
  const lines = all.flatMap(({ path, words }) =>
    words.map(({ text, description, isCommand }) => {
      const word = text.startsWith("--") ? `-l ${text.slice(2)}` : `-a ${text}`;
      const condition = makeCondition(path, isCommand, words);
      return `complete -c earshot ${isCommand ? "-f " : ""}-n ${quoted(condition)} ${word} -d ${quoted(description)}\n`;
    }),
  );
  return lines.join("");
}

function makeCondition(path: string, isCommand: boolean, words: CommandWords["words"]): string {
  const conditions = path
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => `__fish_seen_subcommand_from ${part}`);
  const children = words.filter((word) => word.isCommand).map(({ text }) => text);
  if (isCommand || path === "")
    conditions.push(`not __fish_seen_subcommand_from ${children.join(" ")}`);
  return conditions.join("; and ");
}

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
