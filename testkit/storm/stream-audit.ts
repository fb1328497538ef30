import { setTimeout as sleep } from "node:timers/promises";
import { type FoundPost, foundPosts } from "../archives/found-posts.ts";
import { call, type ServiceAccess } from "../service/retrying-client.ts";
import { type StreamTraffic, streamWord } from "./stream-traffic.ts";

/** Answers that claimed to be complete, and the posts they lacked. */
export type CompletenessAudit = {
  answers: number;
  complete: number;
  missing: string[];
  run(isOver: () => boolean): Promise<void>;
};

const windowMs = 8_000;
/** Long enough for all events to have been delivered. */
const endAgeMs = 1_000;
const path = "/v1/search/social";

export function auditCompleteness(
  access: ServiceAccess,
  traffic: StreamTraffic,
): CompletenessAudit {
  const audit: CompletenessAudit = { answers: 0, complete: 0, missing: [], run };

  async function run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await requestOnce();
      await sleep(150);
    }
  }

  async function requestOnce(): Promise<void> {
    const toMs = Date.now() - endAgeMs;
    const fromMs = toMs - windowMs;
    // Listed before the search, because posts may be deleted during it.
    const expected = traffic.live().filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    const uris = new Set<string>();
    /** The answer is complete up to here; newer events may follow. */
    let coveredToMs: number | null = null;
    let isComplete = true;
    let cursor: string | null = null;
    do {
      const page = await fetchPage(fromMs, toMs, cursor);
      if (page === null) return;
      for (const { Metadata } of page.results) uris.add(Metadata.uri);
      coveredToMs ??= Date.parse(page.coverage.to);
      isComplete &&= page.complete;
      cursor = page.next_cursor;
    } while (cursor !== null);
    audit.answers += 1;
    if (!isComplete) return;
    audit.complete += 1;
    for (const { uri, atMs } of expected) {
      if (uris.has(uri) || traffic.deleted().has(uri) || atMs >= coveredToMs) continue;
      const times = [atMs, coveredToMs].map((ms) => new Date(ms).toISOString());
      audit.missing.push(`${uri} of ${times[0]}, complete to ${times[1]}`);
    }
  }

  async function fetchPage(fromMs: number, toMs: number, cursor: string | null) {
    const answer = await call(
      access,
      "POST",
      path,
      { "content-type": "application/json" },
      {
        type: "social",
        arguments: {
          type: "searchbyfullarchive",
          query: `${streamWord} platform:bluesky`,
          max_results: 500,
          start_time: new Date(fromMs).toISOString(),
          end_time: new Date(toMs).toISOString(),
          ...(cursor === null ? {} : { next_cursor: cursor }),
        },
      },
    );
    if (answer?.status !== 200) return null;
    return JSON.parse(answer.text) as {
      results: FoundPost[];
      next_cursor: string | null;
      complete: boolean;
      coverage: { to: string };
    };
  }

  return audit;
}

export async function compareWithStream(
  access: ServiceAccess,
  traffic: StreamTraffic,
): Promise<string[]> {
  const found = await foundPosts(access, streamWord);
  const uris = found.map(({ Metadata }) => Metadata.uri);
  const seen = new Set(uris);
  const differences = uris.length === seen.size ? [] : [`${uris.length - seen.size} duplicates`];
  for (const { uri } of traffic.live()) if (!seen.has(uri)) differences.push(`${uri} is missing`);
  for (const uri of traffic.deleted()) if (seen.has(uri)) differences.push(`${uri} was restored`);
  return differences;
}
