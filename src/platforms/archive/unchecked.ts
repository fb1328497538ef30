import type { Archive, Position } from "../../archive/archive.ts";
import type { SourceWarning } from "../source.ts";

/**
 * What is known of whether an archived post still is as its platform has it: `confirmed`, the stream has followed it up to now;
 * `unchecked`, the stream was interrupted and the post is yet to be compared; `unfollowed`, nothing follows it.
 */
export type Freshness = "confirmed" | "unchecked" | "unfollowed";

export type FreshnessOf = (position: Position) => Freshness;

type Source = { archive: Pick<Archive, "records">; freshnessOf?: FreshnessOf };

/** Records are read for as many posts; of an answer with more the rest is taken to be like them. */
const mostRead = 20;

/** Whether a post came from a stream that has not followed it up to now. Imported posts are as their file says. */
export async function isStale(source: Source, position: Position): Promise<boolean> {
  const freshness = source.freshnessOf?.(position) ?? "confirmed";
  return freshness !== "confirmed" && (await isAnyStreamed(source, [position]));
}

/** The warning for an answer with posts that are yet to be compared with their platform; none where there are no such posts. */
export async function uncheckedWarnings(
  source: Source,
  positions: readonly Position[],
): Promise<SourceWarning[]> {
  const { freshnessOf } = source;
  if (freshnessOf === undefined) return [];
  const unchecked = positions.filter((position) => freshnessOf(position) === "unchecked");
  const isAny = await isAnyStreamed(source, unchecked.slice(0, mostRead));
  return isAny ? [uncheckedWarning] : [];
}

export const uncheckedWarning: SourceWarning = {
  code: "posts_unchecked",
  message:
    "the stream was interrupted, and stored Mastodon posts are yet to be compared with their server: some may have been edited or deleted since",
  hint: "ask again later; the state of the stream is in GET /readyz and on the Status page",
};

async function isAnyStreamed(
  { archive }: Source,
  positions: readonly Position[],
): Promise<boolean> {
  if (positions.length === 0) return false;
  const { records } = await archive.records(positions);
  return records.some((record) => {
    const { Metadata }: { Metadata: { origin: string } } = JSON.parse(record);
    return Metadata.origin === "stream";
  });
}
