import type { SegmentWriter } from "../../src/archive/segments/segment-writer.ts";
import { idTimeMs } from "../../src/posts/ids.ts";
import { encodeRecord } from "../../src/posts/record.ts";
import { makePost } from "../data/make-post.ts";
import type { Random } from "../data/random-trees.ts";
import type { SegmentForms } from "./segment-forms.ts";

const platform = "x";
const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

export function writeDelta(
  forms: SegmentForms,
  ids: BigInt64Array,
  texts: readonly string[],
  random: Random,
): void {
  const changes: ((writer: SegmentWriter) => void)[] = [];
  for (const id of ids) {
    if (random() >= 0.1) continue;
    const terms = texts[Math.floor(random() * texts.length)] ?? "";
    changes.push(getChange(id, terms, random()));
  }
  forms.write((writer) => {
    for (const change of changes) change(writer);
  });
}

function getChange(id: bigint, terms: string, roll: number): (writer: SegmentWriter) => void {
  return (writer) => {
    const stored = writer.findById(id);
    if (stored === null) {
      writer.insert(preparedPost(id, terms, idTimeMs(id)), id, 1);
    } else if (roll < 0.4) {
      writer.update(preparedPost(id, terms, stored.timeMs), stored);
    } else if (roll < 0.55) {
      writer.remove(id, null);
    } else if (roll < 0.65) {
      writer.moderate(id, { hidden: true, labels: [] });
    } else if (roll < 0.75) {
      writer.moderate(id, { hidden: true, labels: [] });
      writer.moderate(id, { hidden: false, labels: [] });
    } else if (roll < 0.85) {
      writer.remove(id, null);
      writer.insert(preparedPost(id, terms, stored.timeMs), id, 1);
    } else if (roll < 0.9) {
      writer.moderate(id, { hidden: roll < 0.87, labels: ["spam"] });
    } else if (roll < 0.95) {
      writer.addCounts(id, new Map([["likes", 12]]));
    } else {
      writer.update(preparedPost(id, terms, stored.timeMs), stored);
      writer.moderate(id, { hidden: true, labels: [] });
      writer.remove(id, null);
      writer.insert(preparedPost(id, terms, stored.timeMs), id, 1);
    }
  };
}

/** The uri follows from the ID, as on X. */
export function preparedPost(id: bigint, terms: string, timeMs: number) {
  const post = makePost({ platform, nativeId: id, userId: null });
  return {
    kind: "upsert",
    platform,
    uri: post.uri,
    hash: null,
    id,
    timeMs,
    timeIsCapped: false,
    counts: noCounts,
    revision: "",
    imported: true,
    userId: null,
    lacksHandle: false,
    observedMs: timeMs,
    record: encodeRecord(post, timeMs),
    terms,
    alias: null,
  } as const;
}
