import type {
  Archive,
  CoverageInterval,
  PlatformCoverage,
  Position,
} from "../../archive/archive.ts";
import { gapsIn, hasCaughtUp, streamEndMs } from "../../archive/catalog/coverage.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import { accountById, fromAccount } from "../../text/facets.ts";
import type { ArchiveFeed } from "./coverage.ts";

/**
 * What is known of whether an archived post of Mastodon still is as its platform has it: `confirmed`, the stream has followed it
 * up to now; `unchecked`, the stream was interrupted and the post is yet to be compared; `unfollowed`, nothing follows it.
 */
export type Freshness = "confirmed" | "unchecked" | "unfollowed";

export type FreshnessOf = (position: Position) => Freshness;

type Source = Omit<ArchiveFeed, "fedPlatforms"> & {
  archive: Pick<Archive, "records" | "search">;
  freshnessOf?: FreshnessOf;
};

/** Records are read for as many posts; of an answer with more the rest is taken to be like them. */
const mostRead = 20;

/** The warning that a post may have changed since its stream last followed it; null for a post that is known to be current. */
export async function staleWarning(
  source: Source,
  position: Position,
): Promise<SourceWarning | null> {
  const [author] = await authorsOfStreamed(source, [position]);
  // Imported posts are as their file says.
  if (author === undefined) return null;
  if (position.platform === "bluesky") {
    return (await isFollowed(source, position, author)) ? null : interruptedWarning;
  }
  const freshness = source.freshnessOf?.(position) ?? "confirmed";
  return freshness === "confirmed" ? null : uncheckedWarning;
}

/**
 * The warnings for an answer with posts that may have changed during an interruption of their stream; none where there are no
 * such posts. `held` is what the archive held when it was searched. The time since a Bluesky stream ended is not judged.
 */
export async function uncheckedWarnings(
  source: Source,
  positions: readonly Position[],
  held: readonly PlatformCoverage[],
): Promise<SourceWarning[]> {
  const { freshnessOf } = source;
  const ofMastodon = positions.filter((position) => freshnessOf?.(position) === "unchecked");
  const [isAnyOfMastodon, isAnyOfBluesky] = await Promise.all(
    [ofMastodon, interrupted(positions, held)].map(async (unchecked) => {
      const authors = await authorsOfStreamed(source, unchecked.slice(0, mostRead));
      return authors.length > 0;
    }),
  );
  return [
    ...(isAnyOfMastodon ? [uncheckedWarning] : []),
    ...(isAnyOfBluesky ? [interruptedWarning] : []),
  ];
}

const uncheckedWarning: SourceWarning = {
  code: "posts_unchecked",
  message:
    "the stream was interrupted, and stored Mastodon posts are yet to be compared with their server: some may have been edited or deleted since",
  hint: "ask again later; the state of the stream is in GET /readyz and on the Status page",
};

const interruptedWarning: SourceWarning = {
  code: "posts_unchecked",
  message:
    "Bluesky's stream was not followed without interruption since posts of the answer were stored: some may have been edited or deleted since",
  hint: "earshot backfill of an author compares the posts of the author, earshot backfill --replay closes the gap for all",
};

/**
 * Whether everything that happened to a Bluesky post since its time was seen: by the stream, which brings deletions and edits in
 * the order of the posts, or by a backfill of its author, which compares all posts of the author.
 */
async function isFollowed(source: Source, { id }: Position, author: string): Promise<boolean> {
  if (!hasTime(id)) return false;
  const nowMs = source.clock.now();
  const account = accountById("bluesky", author);
  const { held } = await source.archive.search({
    plan: { kind: "terms", elements: [{ kind: "token", token: fromAccount(account) }] },
    platforms: ["bluesky"],
    fromMs: nowMs,
    toMs: nowMs,
    after: null,
    limit: 1,
    deadlineMs: nowMs + 1_000,
  });
  const intervals = followedIn(held).filter(
    (interval) => interval.account === null || accountById("bluesky", interval.account) === account,
  );
  const isLive = hasCaughtUp(intervals, source.liveSinceMs("bluesky"));
  const window = { fromMs: idTimeMs(id), toMs: nowMs };
  return gapsIn(window, intervals, nowMs, isLive ? source.coverageSlackMs : 0).length === 0;
}

/** The Bluesky posts after which the stream was interrupted, and followed again. */
export function interrupted(
  positions: readonly Position[],
  held: readonly PlatformCoverage[],
): readonly Position[] {
  const posts = positions.filter(({ platform, id }) => platform === "bluesky" && hasTime(id));
  const oldest = posts.at(-1);
  const intervals = followedIn(held).filter(({ account }) => account === null);
  const endMs = streamEndMs(intervals);
  if (oldest === undefined || idTimeMs(oldest.id) >= endMs) return [];
  const gaps = gapsIn({ fromMs: idTimeMs(oldest.id), toMs: endMs }, intervals, endMs, 0);
  const lastGapMs = gaps.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
  return posts.filter(({ id }) => idTimeMs(id) < lastGapMs);
}

/** Imports declare which posts a file has, and nothing of what became of others. */
const followedIn = (held: readonly PlatformCoverage[]): readonly CoverageInterval[] =>
  (held.find(({ platform }) => platform === "bluesky")?.intervals ?? []).filter(
    ({ collection, source }) => collection === "posts" && source !== "import",
  );

/** The account ids of the authors of those posts that a stream or a backfill brought. */
async function authorsOfStreamed(
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
