import { accountById, fromAccount } from "@earshot/query/facets";
import type {
  Archive,
  CoverageInterval,
  PlatformCoverage,
  Position,
} from "../../archive/archive.ts";
import { gapsIn, hasCaughtUp, streamEndMs } from "../../archive/catalog/coverage.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import type { ArchiveFeed } from "./coverage.ts";

/** `confirmed`: followed up to now. `unchecked`: not compared since its stream was interrupted. */
export type Freshness = "confirmed" | "unchecked" | "unfollowed";

export type FreshnessOf = (position: Position) => Freshness;

type Source = Omit<ArchiveFeed, "streamedPlatforms"> & {
  archive: Pick<Archive, "records" | "search">;
  freshness?: FreshnessOf;
};

/** In a larger answer, only the first posts are checked. */
const maxCheckedPosts = 20;

export async function staleWarning(
  source: Source,
  position: Position,
): Promise<SourceWarning | null> {
  const [author] = await streamedAuthors(source, [position]);
  if (author === undefined) return null;
  if (position.platform === "bluesky") {
    return (await isFollowed(source, position, author)) ? null : interruptedWarning;
  }
  const freshness = source.freshness?.(position) ?? "confirmed";
  return freshness === "confirmed" ? null : uncheckedWarning;
}

/**
 * `recordedCoverage`: the coverage at the time of the search. Ignores the time since a Bluesky stream ended.
 */
export async function uncheckedWarnings(
  source: Source,
  positions: readonly Position[],
  recordedCoverage: readonly PlatformCoverage[],
): Promise<SourceWarning[]> {
  const { freshness } = source;
  const uncheckedPosts = positions.filter((position) => freshness?.(position) === "unchecked");
  const [hasUncheckedMastodon, hasUncheckedBluesky] = await Promise.all(
    [uncheckedPosts, interruptedPositions(positions, recordedCoverage)].map(async (unchecked) => {
      const authors = await streamedAuthors(source, unchecked.slice(0, maxCheckedPosts));
      return authors.length > 0;
    }),
  );
  return [
    ...(hasUncheckedMastodon ? [uncheckedWarning] : []),
    ...(hasUncheckedBluesky ? [interruptedWarning] : []),
  ];
}

const uncheckedWarning: SourceWarning = {
  code: "posts_unchecked",
  message:
    "the stream was interrupted, and stored Mastodon posts have yet to be compared with their server: some may have been edited or deleted since",
  hint: "retry later; see GET /readyz or the Status page for the state of the stream",
};

const interruptedWarning: SourceWarning = {
  code: "posts_unchecked",
  message:
    "Bluesky's stream was interrupted after posts in this answer were stored: some may have been edited or deleted since",
  hint: "compare an author's posts with earshot backfill --author, or close the gap with earshot backfill --replay gaps",
};

/**
 * Whether all later changes to a Bluesky post have been seen: by the stream, which delivers them in
 * order, or by a backfill, which compares all the author's posts.
 */
async function isFollowed(source: Source, { id }: Position, author: string): Promise<boolean> {
  if (!hasTime(id)) return false;
  const nowMs = source.clock.now();
  const account = accountById("bluesky", author);
  const { coverage: recordedCoverage } = await source.archive.search({
    plan: { kind: "terms", elements: [{ kind: "token", token: fromAccount(account) }] },
    platforms: ["bluesky"],
    fromMs: nowMs,
    toMs: nowMs,
    after: null,
    limit: 1,
    deadlineMs: nowMs + 1_000,
  });
  const intervals = followedIntervals(recordedCoverage).filter(
    (interval) => interval.account === null || accountById("bluesky", interval.account) === account,
  );
  const isLive = hasCaughtUp(intervals, source.liveSinceMs("bluesky"));
  const window = { fromMs: idTimeMs(id), toMs: nowMs };
  return gapsIn(window, intervals, nowMs, isLive ? source.coverageSlackMs : 0).length === 0;
}

export function interruptedPositions(
  positions: readonly Position[],
  recordedCoverage: readonly PlatformCoverage[],
): readonly Position[] {
  const posts = positions.filter(({ platform, id }) => platform === "bluesky" && hasTime(id));
  const oldestPost = posts.at(-1);
  const intervals = followedIntervals(recordedCoverage).filter(({ account }) => account === null);
  const endMs = streamEndMs(intervals);
  if (oldestPost === undefined || idTimeMs(oldestPost.id) >= endMs) return [];
  const gaps = gapsIn({ fromMs: idTimeMs(oldestPost.id), toMs: endMs }, intervals, endMs, 0);
  const lastGapMs = gaps.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
  return posts.filter(({ id }) => idTimeMs(id) < lastGapMs);
}

/** Imports cover the posts in a file, but not later changes. */
const followedIntervals = (
  recordedCoverage: readonly PlatformCoverage[],
): readonly CoverageInterval[] =>
  (recordedCoverage.find(({ platform }) => platform === "bluesky")?.intervals ?? []).filter(
    ({ collection, source }) => collection === "posts" && source !== "import",
  );

async function streamedAuthors(
  { archive }: Pick<Source, "archive">,
  positions: readonly Position[],
): Promise<readonly string[]> {
  if (positions.length === 0) return [];
  const { records } = await archive.records(positions);
  return records.flatMap((record) => {
    const { Metadata }: { Metadata: { origin: string; user_id: string | null } } =
      JSON.parse(record);
    return Metadata.origin === "import" ? [] : [Metadata.user_id ?? ""];
  });
}
