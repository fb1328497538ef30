import type { Archive } from "../../archive/archive.ts";
import { EarshotError } from "../../lib/errors.ts";
import {
  type AnswerRequest,
  type FetchedItem,
  isFetched,
  isHeld,
  type SourceAnswer,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import { withDamage } from "../../search/damage.ts";
import { recordsOf } from "../../search/fill-in.ts";
import { createRecordCheck, createYield } from "../protocol/check-answer.ts";
import { readRecord } from "../protocol/read-record.ts";

/** An answer as it leaves a node. */
export type ShownAnswer = Omit<SourceAnswer, "items"> & { items: readonly FetchedItem[] };

/**
 * An answer as it leaves a node: each item with its record, also those that its own archive holds, as nobody else can fill them
 * in. What was deleted or hidden since it was found is left out.
 */
export async function withRecords(
  archive: Pick<Archive, "records" | "withheld">,
  answer: SourceAnswer,
): Promise<ShownAnswer> {
  const fetched = answer.items.filter(isFetched);
  const [ofArchive, ofUpstreams] = await Promise.all([
    recordsOf(archive, answer.items.filter(isHeld)),
    recordsOf(archive, fetched),
  ]);
  const held = new Map(
    ofArchive.records.map((record) => itemOf(record)).map((item) => [nameOf(item), item]),
  );
  const shown = stillShown(fetched, ofUpstreams.records);
  const items = answer.items.flatMap((item) => {
    if (isFetched(item)) return shown.has(item) ? [item] : [];
    return held.get(nameOf(item)) ?? [];
  });
  return withDamage({ ...answer, items }, ofArchive.damage);
}

/**
 * The answer without records that a gateway refuses, such as of posts whose counts or labels have changed since they were found
 * so that they do not match any more. `onLeftOut` is called with the code of the check.
 */
export async function withoutMisfits(
  request: AnswerRequest,
  answer: ShownAnswer,
  onLeftOut: (check: string) => void,
): Promise<ShownAnswer> {
  const check = createRecordCheck(request);
  const yieldAfter = createYield();
  const items: FetchedItem[] = [];
  for (const item of answer.items) {
    try {
      check(readRecord(item.record));
      items.push(item);
    } catch (fault) {
      if (!(fault instanceof EarshotError)) throw fault;
      onLeftOut(fault.details[0]?.code ?? fault.code);
    }
    await yieldAfter(item.record.length);
  }
  return { ...answer, items };
}

const nameOf = ({ platform, id }: { platform: Platform; id: bigint | null }): string =>
  `${platform} ${id}`;

type HeldRecord = {
  ID: string;
  Metadata: { platform: Platform; uri: string | null; user_id: string | null };
};

/** A record of the archive tells itself what it is a record of. */
function itemOf(record: string): FetchedItem {
  const { ID, Metadata }: HeldRecord = JSON.parse(record);
  const { platform, uri, user_id: userId } = Metadata;
  return { platform, id: BigInt(ID), uri, userId, record };
}

/** Those of the items whose records are left, which come in the same order: what has one record is shown or not as one. */
function stillShown(
  items: readonly FetchedItem[],
  records: readonly string[],
): ReadonlySet<FetchedItem> {
  const shown = new Set<FetchedItem>();
  for (const item of items) {
    if (records[shown.size] === item.record) shown.add(item);
  }
  return shown;
}
