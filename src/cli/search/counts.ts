import { type Command, Option } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { wrongUse } from "../describe-error.ts";
import { parseTimeOption } from "../parse-values.ts";
import { addServiceOptions, chooseService, type ServiceOptions } from "../remote/choose-service.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addQueryArgument, readQueryArgument } from "./query-argument.ts";
import { type BucketName, bucketLengthsMs, type CountInput } from "./search-input.ts";
import { showCounts } from "./show-counts.ts";

type Options = ServiceOptions & {
  by: BucketName;
  since?: number;
  until?: number;
  json?: boolean;
  csv?: boolean;
};

export function addCounts(program: Command, terminal: Terminal): void {
  const command = addQueryArgument(program.command("counts"))
    .description(
      "Counts matching posts per minute, hour or day (UTC), from the first match in the archive or, on a service, over the last 7 days " +
        "(archive or service is chosen as in earshot search). A terminal shows bars; otherwise each bucket is a line. A question " +
        "mark means incomplete coverage: there may be more posts.",
    )
    .addOption(
      new Option("--by <length>", "length of a bucket")
        .choices(Object.keys(bucketLengthsMs))
        .default("hour"),
    )
    .option("--since <time>", "only posts at or after this day or time", parseTimeOption)
    .option("--until <time>", "only posts before this day or time", parseTimeOption)
    .option("--json", "print the same JSON as GET /v1/search/social/counts")
    .addOption(
      new Option("--csv", "print CSV with the columns start,end,tweet_count,complete").conflicts(
        "json",
      ),
    );
  addServiceOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot counts 'aurora lang:en' --by day\n" +
        "  earshot counts '#nasa -filter:retweets' --by minute --since 2026-01-31T10:00:00Z --csv",
    )
    .action((_query: string, options: Options, command: Command) =>
      counts(readQueryArgument(command), options, terminal),
    );
}

async function counts(query: string, options: Options, terminal: Terminal): Promise<void> {
  const nowMs = systemClock.now();
  const { by: bucketName, since: sinceMs = null, until: untilMs = null } = options;
  if (sinceMs !== null && sinceMs >= Math.min(untilMs ?? nowMs, nowMs)) {
    throw wrongUse("--since must be before --until and in the past", "use an earlier --since");
  }
  const input: CountInput = { query, bucketName, sinceMs, untilMs, nowMs };
  const service = chooseService(terminal, options);
  if (service === null) {
    const { countLocally } = await import("./count-archive.ts");
    await countLocally(input, terminal, (shown) => showCounts(shown, options, terminal));
    return;
  }
  const { countRemotely } = await import("../remote/count-service.ts");
  showCounts(await countRemotely(service, input, terminal), options, terminal);
}
