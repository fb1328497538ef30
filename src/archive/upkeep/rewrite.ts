import type { SegmentEntry } from "../catalog.ts";
import { strayedOf } from "../strayed.ts";
import type { UpkeepContext } from "./context.ts";
import { copySegment } from "./copy-segment.ts";
import type { FollowedSegment } from "./followed-segment.ts";
import { type Replacement, type RewriteReport, replaceSegment } from "./replace-segment.ts";
import { inLock, type Steps } from "./steps.ts";

export type RewriteOptions = Pick<Replacement, "cuts" | "keeps">;

/**
 * Makes one or more files anew from the rows of a segment and puts them in its place (`replace-segment.ts`): rows, uris,
 * hidden posts and arrivals are copied in short reads, and terms are made anew from the rows, as the index does not give them
 * back. What comes of a sealed segment is not sealed. Errors: as `replaceSegment`.
 */
export const rewriteSegment = (
  context: UpkeepContext,
  entry: SegmentEntry,
  { cuts, keeps }: RewriteOptions,
): Steps<RewriteReport> =>
  replaceSegment(context, entry, {
    cuts,
    keeps,
    terms: "any",
    *fill(followed, { arrivalsFrom }) {
      yield* copySegment(followed, arrivalsFrom);
      for (const { copy } of followed.parts) yield* copy.complete();
      yield* listStrayed(context, followed);
    },
  });

/** Posts that are listed as strayed in one moment under the lock. */
const listedAtOnce = 1_000;

/** Archives of an earlier form do not list which posts strayed. */
export function* listStrayed(
  { catalog }: UpkeepContext,
  { old, platform, strayed: found }: FollowedSegment,
): Steps<void> {
  const strayed = strayedOf(catalog);
  const exists = old.prepare("SELECT 1 FROM post WHERE id = ?");
  for (let start = 0; start < found.length; start += listedAtOnce) {
    yield* inLock(catalog, () => {
      for (const { hash, id } of found.slice(start, start + listedAtOnce)) {
        if (exists.get(id) !== undefined) strayed.add(platform, hash, id);
      }
    });
    yield "worked";
  }
}
