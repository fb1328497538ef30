import { uriHash } from "../../posts/ids.ts";
import type { Position } from "../archive.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { isDamage } from "../sealed/damage.ts";
import type { Segment } from "../segments/segment.ts";
import { type PageStart, pageStart } from "./page-start.ts";
import { findSegment } from "./stored-rows.ts";

type PositionsContext = {
  open(entry: SegmentEntry): Pick<Segment, "lookup">;
  uriKey(): string;
};

/** In a damaged segment, positions fall back to the bare ID. */
export function pagePositions({ open, uriKey }: PositionsContext) {
  return {
    startAfter: (
      after: Position | null,
      segments: readonly SegmentEntry[],
    ): { start?: PageStart } => {
      const entry = after && findSegment(after, segments);
      if (!entry) return {};
      try {
        return { start: pageStart(after, entry, open(entry).lookup, uriKey()) };
      } catch (error) {
        if (!isDamage(error)) throw error;
        return {};
      }
    },
    withHash: (position: Position | null, segments: readonly SegmentEntry[]): Position | null => {
      const entry = position && findSegment(position, segments);
      if (!entry || entry.platform === "x") return position;
      try {
        const uri = open(entry).lookup.findById(position.id)?.uri ?? "";
        return uri === "" ? position : { ...position, uriHash: uriHash(uri) };
      } catch (error) {
        if (!isDamage(error)) throw error;
        return position;
      }
    },
  };
}
