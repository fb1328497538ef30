import type { Archive } from "../../archive/archive.ts";
import {
  type FetchedItem,
  isArchived,
  isFetched,
  type SourceAnswer,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import { withDamage } from "./damage.ts";
import { readRecords } from "./fill-in.ts";

export type ShownAnswer = Omit<SourceAnswer, "items"> & { items: readonly FetchedItem[] };

/** For a gateway without this archive. Omits posts deleted or hidden since the search. */
export async function withRecords(
  archive: Pick<Archive, "records" | "withheld">,
  answer: SourceAnswer,
): Promise<ShownAnswer> {
  const fetched = answer.items.filter(isFetched);
  const [archived, upstream] = await Promise.all([
    readRecords(archive, answer.items.filter(isArchived)),
    readRecords(archive, fetched),
  ]);
  const archivedItems = new Map(
    archived.records.map(readItem).map((item) => [formatName(item), item] as const),
  );
  const shown = stillShown(fetched, upstream.records);
  const items = answer.items.flatMap((item) => {
    if (isFetched(item)) return shown.has(item) ? [item] : [];
    return archivedItems.get(formatName(item)) ?? [];
  });
  return withDamage({ ...answer, items }, archived.damage);
}

const formatName = ({ platform, id }: { platform: Platform; id: bigint | null }): string =>
  `${platform} ${id}`;

type ArchivedRecord = {
  ID: string;
  Metadata: { platform: Platform; uri: string | null; user_id: string | null };
};

export function readItem(record: string): FetchedItem {
  const { ID, Metadata }: ArchivedRecord = JSON.parse(record);
  const { platform, uri, user_id: userId } = Metadata;
  return { platform, id: BigInt(ID), uri, userId, record };
}

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
