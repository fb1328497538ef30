import type { SegmentEntry } from "../catalog/catalog.ts";
import { uncoverPosts } from "../catalog/uncover.ts";
import type { CompactionContext } from "./context.ts";
import { type LostPosts, writeLostList } from "./lost-posts.ts";
import { type RewriteReport, replaceSegment } from "./replace-segment.ts";
import { listMisplaced } from "./rewrite.ts";
import { createSalvage, type Salvage } from "./salvage-rows.ts";
import type { Steps } from "./steps.ts";

export type SalvageReport = RewriteReport & {
  /** Whether anything of the segment could not be read; its file is then set aside. */
  isDamaged: boolean;
  /** Null where every post was salvaged. */
  lost: (LostPosts & { listPath: string | null }) | null;
};

/**
 * Makes a segment again from every row of another one that is intact, and puts it in that one's place (`replace-segment.ts`):
 * rows are read in the order of the table, past pages that are damaged, and what the table does not lead to any more from the
 * pages of the file. Terms, uris and hidden posts are made from the rows and the catalog. What is lost becomes a gap of the
 * coverage, and is listed beside the damaged file. Errors: as `replaceSegment`.
 */
export function* salvageSegment(
  context: CompactionContext,
  entry: SegmentEntry,
): Steps<SalvageReport> {
  const { folder, catalog } = context;
  let salvage: Salvage | null = null;
  let lost: LostPosts | null = null;
  const report = yield* replaceSegment(context, entry, {
    cuts: [],
    keeps: null,
    terms: "any",
    salvages: true,
    *fill(followed, { arrivalsFrom }) {
      salvage = createSalvage(context, entry, followed);
      yield* salvage.copyRows();
      yield* salvage.copyArrivals(arrivalsFrom);
      for (const { copy } of followed.parts) yield* copy.complete();
      yield* listMisplaced(context, followed);
      salvage.close();
    },
    setsAside: () => salvage?.isDamaged() ?? false,
    onSwap(followed) {
      lost = salvage?.lost(followed) ?? null;
      for (const span of lost?.spans ?? []) uncoverPosts(catalog, entry.platform, span);
    },
  });
  const found = lost as LostPosts | null;
  return {
    ...report,
    isDamaged: (salvage as Salvage | null)?.isDamaged() ?? false,
    lost: found && { ...found, listPath: writeLostList(folder, entry, found.posts) },
  };
}
