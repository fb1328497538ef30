import { printQuery, type QueryNode } from "@earshot/query/tree";
import type { Archive } from "../../archive/archive.ts";
import { renderBody } from "../../http/answers/body.ts";
import type { AnswerPage } from "../../http/answers/page.ts";
import { systemClock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { SourceAnswer, SourceWarning } from "../../platforms/source.ts";
import { noLiveStream } from "../../search/archive/coverage.ts";
import { searchArchive } from "../../search/archive/search.ts";
import { readRecords } from "../../search/merge/answer-records.ts";
import { withDamage } from "../../search/merge/damage.ts";
import type { Config } from "../../server/config.ts";
import { streamedPlatforms } from "../../server/streamed-platforms.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printAnswer, toPrintable } from "./print-answer.ts";
import type { SearchInput } from "./search-input.ts";

type LocalAnswer = { answer: SourceAnswer; records: readonly string[]; nowMs: number };

/** Errors: `deadline_exceeded`, after showing what was found; those of the archive. */
export async function searchAndPrint(
  archive: Archive,
  config: Config,
  input: SearchInput & { tree: QueryNode },
  terminal: Terminal,
): Promise<void> {
  const result = await find(archive, config, input, terminal.stopSignal);
  const { answer, records, nowMs } = result;
  if (input.format !== null) {
    const body = await renderBody(makePage(result, input.tree), input.format, systemClock);
    terminal.out(toPrintable(body.toString(), terminal));
  } else {
    const { coverage, warnings } = answer;
    const printedAnswer = { records, hasMore: answer.next !== null, coverage, warnings };
    const times = { nowMs, slackMs: config.ingest.coverageSlackMs };
    printAnswer(printedAnswer, await archive.coverage(), times, terminal);
  }
  if (answer.warnings.some(({ code }) => code === "deadline_reached")) {
    throw deadlineExceeded(config.jobs.deadlineMs);
  }
}

async function find(
  archive: Archive,
  config: Config,
  { query, maxResults }: SearchInput,
  stopSignal: AbortSignal,
): Promise<LocalAnswer> {
  const nowMs = systemClock.now();
  const answer = await searchArchive(
    {
      archive,
      clock: systemClock,
      streamedPlatforms: streamedPlatforms(config),
      coverageSlackMs: 0,
      liveSinceMs: noLiveStream,
    },
    {
      platform: "social",
      query,
      fromMs: null,
      toMs: nowMs,
      asOfMs: nowMs,
      after: null,
      maxResults,
    },
    nowMs + config.jobs.deadlineMs,
    stopSignal,
  );
  const { records, damage } = await readRecords(archive, answer.items);
  return { answer: withDamage(answer, damage), records, nowMs };
}

/** There is no cursor, because no server could continue it. */
function makePage({ answer, records }: LocalAnswer, tree: QueryNode): AnswerPage {
  const warnings = answer.next === null ? [] : [morePosts];
  return {
    job: {
      uuid: null,
      state: "done",
      request: { method: "searchbyfullarchive" },
      canonicalQuery: printQuery(tree),
      warnings,
    },
    result: answer,
    posts: records.map((json) => ({ record: JSON.parse(json), json, shortenedFrom: null })),
    fields: null,
    omitted: 0,
    isContinued: false,
    nextCursor: null,
  };
}

const morePosts: SourceWarning = {
  code: "more_posts",
  message: "more posts match",
  hint: "raise --max-results, up to 500",
};

function deadlineExceeded(deadlineMs: number): EarshotError {
  return new EarshotError(
    "deadline_exceeded",
    `the search exceeded its deadline of ${deadlineMs / 1000} s`,
    { hint: "narrow it with since: and until:, or raise EARSHOT_JOB_DEADLINE" },
  );
}
