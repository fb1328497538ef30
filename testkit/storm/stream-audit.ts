import { setTimeout as sleep } from "node:timers/promises";
import { type FoundPost, foundPosts } from "../archives/found-posts.ts";
import { call, type ServiceAccess } from "../service/retrying-client.ts";
import { type StreamTraffic, streamWord } from "./stream-traffic.ts";

/** Answers that claimed to be complete, and the posts they lacked. */
export type CompletenessAudit = {
  answerCount: number;
  completeCount: number;
  missingPosts: string[];
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
  const audit: CompletenessAudit = { answerCount: 0, completeCount: 0, missingPosts: [], run };

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
    const expectedPosts = traffic.livePosts().filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
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
    audit.answerCount += 1;
    if (!isComplete) return;
    audit.completeCount += 1;
    for (const { uri, atMs } of expectedPosts) {
      if (uris.has(uri) || traffic.deletedUris().has(uri) || atMs >= coveredToMs) continue;
      const times = [atMs, coveredToMs].map((ms) => new Date(ms).toISOString());
      audit.missingPosts.push(`${uri} of ${times[0]}, complete to ${times[1]}`);
    }
  }

  async function fetchPage(fromMs: number, toMs: number, cursor: string | null) {
    const response = await call(
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
    if (response?.status !== 200) return null;
    return JSON.parse(response.text) as {
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
  const posts = await foundPosts(access, streamWord);
  const uris = posts.map(({ Metadata }) => Metadata.uri);
  const uniqueUris = new Set(uris);
  const differences =
    uris.length === uniqueUris.size ? [] : [`${uris.length - uniqueUris.size} duplicates`];
  for (const { uri } of traffic.livePosts())
    if (!uniqueUris.has(uri)) differences.push(`${uri} is missing`);
  for (const uri of traffic.deletedUris())
    if (uniqueUris.has(uri)) differences.push(`${uri} was restored`);
  return differences;
}
