import * as z from "zod";
import { isoTime } from "../../lib/iso-time.ts";
import { type Api, readBody } from "../../mcp/api.ts";
import type { Coverage } from "../../platforms/source.ts";
import { bucketLengthsMs, type CountTerms } from "../search/search-terms.ts";
import { plotBuckets, type ShownCounts } from "../search/show-counts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { coverageSchema, warningsSchema } from "./answered-coverage.ts";
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
  terms: CountTerms,
  terminal: Terminal,
): Promise<ShownCounts> {
  const { api, close } = openRemoteApi(service);
  try {
    const pages: Page[] = [];
    let token: string | undefined;
    do {
      const page = await ensurePage(api, terms, token, terminal);
      pages.unshift(page);
      token = page.meta.next_token;
    } while (token !== undefined);
    return makeCounts(pages, terms);
  } finally {
    await close();
  }
}

async function ensurePage(
  api: Api,
  { query, by, sinceMs, untilMs }: CountTerms,
  token: string | undefined,
  terminal: Terminal,
): Promise<Page> {
  const parameters = new URLSearchParams({ query, granularity: by });
  if (sinceMs !== null) parameters.set("start_time", isoTime(sinceMs));
  if (untilMs !== null) parameters.set("end_time", isoTime(untilMs));
  if (token !== undefined) parameters.set("next_token", token);
  const path = `/v1/search/social/counts?${parameters}`;
  const response = await api({ method: "GET", path, signal: terminal.stopping });
  requireAnswer(response, query, terminal);
  return readBody(response, countsBody, JSON.parse);
}

function makeCounts(pages: readonly Page[], { by }: CountTerms): ShownCounts {
  const data = pages.flatMap((page) => page.data);
  const coverage = joinCoverage(pages.map((page) => page.coverage));
  const counted = {
    buckets: data.map(({ start, tweet_count }) => ({ fromMs: start, count: tweet_count })),
    countedFromMs: coverage.fromMs ?? coverage.toMs,
    complete: pages.every(({ complete }) => complete),
    coverage,
    warnings: pages.flatMap(({ warnings }) => warnings),
  };
  const fromMs = data[0]?.start ?? coverage.toMs;
  const toMs = data.at(-1)?.end ?? coverage.toMs;
  const bucketMs = bucketLengthsMs[by];
  const query = pages[0]?.canonical_query ?? "";
  return {
    ...counted,
    query,
    by,
    bucketMs,
    fromMs,
    toMs,
    buckets: plotBuckets(counted, fromMs, toMs, bucketMs),
  };
}

function joinCoverage(parts: readonly Coverage[]): Coverage {
  const names = new Set(parts.flatMap(({ platforms = [] }) => platforms.map(formatName)));
  const platforms = [...names].map((name) => {
    const ofPlatform = parts.flatMap(({ platforms: all = [] }) =>
      all.filter((coverage) => formatName(coverage) === name),
    );
    const [first] = ofPlatform;
    if (first === undefined) throw new Error(`no coverage of ${name}`);
    return {
      ...first,
      complete: ofPlatform.every(({ complete }) => complete),
      held: mergeSpans(ofPlatform.flatMap(({ held }) => held)),
      gaps: mergeSpans(ofPlatform.flatMap(({ gaps }) => gaps)),
      truncated: ofPlatform.some(({ truncated }) => truncated),
    };
  });
  return {
    fromMs: parts[0]?.fromMs ?? null,
    toMs: parts.at(-1)?.toMs ?? 0,
    complete: parts.every(({ complete }) => complete),
    gaps: mergeSpans(parts.flatMap(({ gaps }) => gaps)),
    truncated: parts.some(({ truncated }) => truncated ?? false),
    platforms,
  };
}

const formatName = ({ platform, collection }: { platform: string; collection: string }): string =>
  `${platform} ${collection}`;

/** Merges adjacent spans, which must be sorted. */
function mergeSpans(spans: Coverage["gaps"]): Coverage["gaps"][number][] {
  const all: Coverage["gaps"][number][] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && span.fromMs !== null && last.toMs >= span.fromMs) {
      all[all.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
    } else all.push(span);
  }
  return all;
}
