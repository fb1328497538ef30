import * as z from "zod";
import { isoTime } from "../../lib/iso-time.ts";
import { type Api, readBody } from "../../mcp/api.ts";
import type { Coverage } from "../../platforms/source.ts";
import { bucketLengthsMs, type CountInput } from "../search/search-input.ts";
import { fillBuckets, type ShownCounts } from "../search/show-counts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { coverageSchema, warningsSchema } from "./answer-schemas.ts";
import type { Login } from "./login-file.ts";
import { openRemoteApi } from "./remote-api.ts";
import { requireAnswer } from "./search-service.ts";

const timestamp = z.iso.datetime().transform((text) => Date.parse(text));

const countsBody = z.object({
  data: z.array(z.object({ start: timestamp, end: timestamp, tweet_count: z.int() })),
  meta: z.object({ next_token: z.string().optional() }),
  complete: z.boolean(),
  coverage: coverageSchema,
  warnings: warningsSchema,
  canonical_query: z.string(),
});

type Page = z.output<typeof countsBody>;

/** Each page costs one request and one search. Errors: `invalid_query`, `ApiError`. */
export async function countRemotely(
  service: Login,
  input: CountInput,
  terminal: Terminal,
): Promise<ShownCounts> {
  const { api, close } = openRemoteApi(service);
  try {
    const pages: Page[] = [];
    let token: string | undefined;
    do {
      const page = await fetchPage(api, input, token, terminal);
      pages.unshift(page);
      token = page.meta.next_token;
    } while (token !== undefined);
    return makeCounts(pages, input);
  } finally {
    await close();
  }
}

async function fetchPage(
  api: Api,
  { query, bucketName, sinceMs, untilMs }: CountInput,
  token: string | undefined,
  terminal: Terminal,
): Promise<Page> {
  const parameters = new URLSearchParams({ query, granularity: bucketName });
  if (sinceMs !== null) parameters.set("start_time", isoTime(sinceMs));
  if (untilMs !== null) parameters.set("end_time", isoTime(untilMs));
  if (token !== undefined) parameters.set("next_token", token);
  const path = `/v1/search/social/counts?${parameters}`;
  const response = await api({ method: "GET", path, signal: terminal.stopSignal });
  requireAnswer(response, query, terminal);
  return readBody(response, countsBody, JSON.parse);
}

function makeCounts(pages: readonly Page[], { bucketName }: CountInput): ShownCounts {
  const data = pages.flatMap((page) => page.data);
  const coverage = joinCoverage(pages.map((page) => page.coverage));
  const sourceCounts = {
    buckets: data.map(({ start, tweet_count }) => ({ fromMs: start, count: tweet_count })),
    countedFromMs: coverage.fromMs ?? coverage.toMs,
    complete: pages.every(({ complete }) => complete),
    coverage,
    warnings: pages.flatMap(({ warnings }) => warnings),
  };
  const fromMs = data[0]?.start ?? coverage.toMs;
  const toMs = data.at(-1)?.end ?? coverage.toMs;
  const bucketMs = bucketLengthsMs[bucketName];
  const query = pages[0]?.canonical_query ?? "";
  return {
    ...sourceCounts,
    query,
    bucketName,
    bucketMs,
    fromMs,
    toMs,
    buckets: fillBuckets(sourceCounts, fromMs, toMs, bucketMs),
  };
}

function joinCoverage(coverages: readonly Coverage[]): Coverage {
  const names = new Set(coverages.flatMap(({ platforms = [] }) => platforms.map(formatName)));
  const platforms = [...names].map((name) => {
    const platformCoverages = coverages.flatMap(({ platforms: platformEntries = [] }) =>
      platformEntries.filter((coverage) => formatName(coverage) === name),
    );
    const [first] = platformCoverages;
    if (first === undefined) throw new Error(`no coverage of ${name}`);
    return {
      ...first,
      complete: platformCoverages.every(({ complete }) => complete),
      held: mergeSpans(platformCoverages.flatMap(({ held }) => held)),
      gaps: mergeSpans(platformCoverages.flatMap(({ gaps }) => gaps)),
      truncated: platformCoverages.some(({ truncated }) => truncated),
    };
  });
  return {
    fromMs: coverages[0]?.fromMs ?? null,
    toMs: coverages.at(-1)?.toMs ?? 0,
    complete: coverages.every(({ complete }) => complete),
    gaps: mergeSpans(coverages.flatMap(({ gaps }) => gaps)),
    truncated: coverages.some(({ truncated }) => truncated ?? false),
    platforms,
  };
}

const formatName = ({ platform, collection }: { platform: string; collection: string }): string =>
  `${platform} ${collection}`;

/** Merges adjacent spans, which must be sorted. */
function mergeSpans(spans: Coverage["gaps"]): Coverage["gaps"][number][] {
  const mergedSpans: Coverage["gaps"][number][] = [];
  for (const span of spans) {
    const last = mergedSpans.at(-1);
    if (last !== undefined && span.fromMs !== null && last.toMs >= span.fromMs) {
      mergedSpans[mergedSpans.length - 1] = {
        fromMs: last.fromMs,
        toMs: Math.max(last.toMs, span.toMs),
      };
    } else mergedSpans.push(span);
  }
  return mergedSpans;
}
