import type { Command } from "commander";
import { parseWholeNumber } from "../parse-values.ts";
import {
  addServiceOptions,
  chooseService,
  type ServiceOptions,
  serviceHelp,
} from "../remote/choose-service.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addFormatOptions, chooseFormat, type FormatOptions } from "./answer-format.ts";
import { addQueryArgument, readQueryArgument } from "./query-argument.ts";
import type { SearchTerms } from "./search-terms.ts";

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
  const terms: SearchTerms = {
    query,
    maxResults: options.maxResults,
    format: chooseFormat(options),
  };
  const service = chooseService(terminal, options);
  if (service === null) {
    const { searchLocally } = await import("./search-archive.ts");
    await searchLocally(terms, terminal);
    return;
  }
  const { searchRemotely } = await import("../remote/search-service.ts");
  await searchRemotely(service, terms, terminal);
}
