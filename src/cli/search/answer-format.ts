import { type Command, Option } from "commander";
import type { AnswerFormat } from "../../http/answers/negotiate.ts";

const formats = [
  ["json", "application/json", "print the whole answer as the API returns it"],
  ["ndjson", "application/x-ndjson", "print the API's records, one per line"],
  ["csv", "text/csv", "print a table"],
  [
    "markdown",
    "text/markdown",
    "print numbered quotations with links, for notes and language models",
  ],
] as const satisfies readonly (readonly [string, AnswerFormat, string])[];

type FormatName = (typeof formats)[number][0];

export type FormatOptions = Partial<Record<FormatName, true>>;

export function addFormatOptions(command: Command): Command {
  for (const [name, , description] of formats) {
    const others = formats.map(([other]) => other).filter((other) => other !== name);
    command.addOption(new Option(`--${name}`, description).conflicts(others));
  }
  return command;
}

export function chooseFormat(options: FormatOptions): AnswerFormat | null {
  return formats.find(([name]) => options[name])?.[1] ?? null;
}
