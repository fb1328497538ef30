import { type Command, Option } from "commander";
import type { AnswerFormat } from "../../http/answers/negotiate.ts";
import { parseWholeNumber } from "../parse-values.ts";
import {
  addServiceOptions,
  chooseService,
  type ServiceOptions,
  serviceHelp,
} from "../remote/choose-service.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addQueryArgument, readQueryArgument } from "./query-argument.ts";
import type { SearchInput } from "./search-input.ts";

type Options = ServiceOptions & FormatOptions & { maxResults: number };

export function addSearch(program: Command, terminal: Terminal): void {
  const command = addQueryArgument(program.command("search"))
    .description(
      `Searches the whole archive, newest first. ${serviceHelp} Reports gaps in coverage. ` +
        "docs/query-language.md lists the operators.",
    )
    .option(
      "--max-results <number>",
      "maximum number of posts, 1..500",
      parseWholeNumber(1, 500),
      20,
    );
  addServiceOptions(addFormatOptions(command))
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot search 'aurora lang:en -filter:retweets'\n" +
        "  earshot search '\"northern lights\" (from:halden_demo OR min_faves:50)' --ndjson | jq .Content\n" +
        "  earshot search 'comet has:images' --url https://search.example --markdown",
    )
    .action((_query: string, options: Options, command: Command) =>
      search(readQueryArgument(command), options, terminal),
    );
}

async function search(query: string, options: Options, terminal: Terminal): Promise<void> {
  const input: SearchInput = {
    query,
    maxResults: options.maxResults,
    format: chooseFormat(options),
  };
  const service = chooseService(terminal, options);
  if (service === null) {
    const { searchLocally } = await import("./search-archive.ts");
    await searchLocally(input, terminal);
    return;
  }
  const { searchRemotely } = await import("../remote/search-service.ts");
  await searchRemotely(service, input, terminal);
}

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

type FormatOptions = Partial<Record<FormatName, true>>;

function addFormatOptions(command: Command): Command {
  for (const [name, , description] of formats) {
    const otherNames = formats.map(([other]) => other).filter((other) => other !== name);
    command.addOption(new Option(`--${name}`, description).conflicts(otherNames));
  }
  return command;
}

function chooseFormat(options: FormatOptions): AnswerFormat | null {
  return formats.find(([name]) => options[name])?.[1] ?? null;
}
