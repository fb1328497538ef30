import type { DatabaseSync } from "node:sqlite";
import { firstTimeMs, hasTime, idTimeMs, lookupHash, type TimeSkew } from "../../../posts/ids.ts";
import type { Post } from "../../../posts/post.ts";
import { decodeRecord } from "../../../posts/record.ts";
import { isMisplaced } from "../../catalog/misplaced.ts";
import type { PreparedHandle } from "../../prepared.ts";
import { prepareHandle } from "../../write/prepare.ts";
import { readSegmentRows, type SegmentRow } from "../segment-rows.ts";
import type { ChosenSegment } from "./choose-segments.ts";

export type RecoveredRows = {
  skew: TimeSkew;
  misplaced: { hash: bigint; id: bigint }[];
  handles: PreparedHandle[];
  userIdsWithoutHandle: Set<string>;
  unreadable: number;
};

const rowsPerStep = 1_000;

export function* recoverRows(
  segment: DatabaseSync,
  { platform }: ChosenSegment,
  uriKey: string,
): Generator<number, RecoveredRows> {
  const skew = { minMs: 0, maxMs: 0 };
  const handles = new Map<string, PreparedHandle>();
  const recovered: RecoveredRows = {
    skew,
    misplaced: [],
    handles: [],
    userIdsWithoutHandle: new Set(),
    unreadable: 0,
  };

  function add(post: Post, id: bigint, timeMs: number): void {
    if (hasTime(id) || timeMs > firstTimeMs) {
      const offsetMs = timeMs - idTimeMs(id);
      skew.minMs = Math.min(skew.minMs, offsetMs);
      skew.maxMs = Math.max(skew.maxMs, offsetMs);
    }
    if (post.nativeId === null && isMisplaced(platform, post.uri, id)) {
      recovered.misplaced.push({ hash: lookupHash(uriKey, post.uri), id });
    }
    const author = prepareHandle(post);
    if (author === null) {
      if (post.userId) recovered.userIdsWithoutHandle.add(post.userId.toLowerCase());
      return;
    }
    const key = `${author.userId} ${author.handle}`;
    const handle = handles.get(key);
    if (handle === undefined || handle.observedMs < author.observedMs) handles.set(key, author);
  }

  let count = 0;
  const rows = readSegmentRows(segment, platform, () => {
    recovered.unreadable += 1;
  });
  for (const row of rows) {
    const post = decodeRow(row);
    if (post === null) recovered.unreadable += 1;
    else add(post, row.id, row.timeMs);
    count += 1;
    if (count % rowsPerStep === 0) yield rowsPerStep;
  }
  yield count % rowsPerStep;
  return { ...recovered, handles: [...handles.values()] };
}

function decodeRow(row: SegmentRow): Post | null {
  try {
    return decodeRecord(row);
  } catch {
    return null;
  }
}
