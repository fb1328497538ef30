import type { Command } from "commander";
import { wrongUse } from "../describe-error.ts";

/** The query may start with a minus, like an option. */
export function addQueryArgument(command: Command): Command {
  return command
    .argument("<query>", "the query, in quotes for the shell")
    .allowUnknownOption()
    .allowExcessArguments();
}

/** Errors: `wrong_use`. */
export function readQueryArgument({ args }: Command): string {
  const [query = "", ...extraArguments] = args;
  const option = args.find((argument) => argument.startsWith("--"));
  if (option !== undefined) {
    throw wrongUse(
      `unknown option '${option}'`,
      "see --help; put a space before a query that begins with --",
    );
  }
  if (extraArguments.length > 0) {
    throw wrongUse("the query must be a single argument", `put it in quotes: '${args.join(" ")}'`);
  }
  return query;
}
