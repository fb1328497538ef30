import type { Archive, FetchedName, StoredPage, StoredRecords } from "../../archive/archive.ts";
import { asFields } from "../../platforms/fields.ts";
import {
  type AnswerItem,
  type FetchedItem,
  isArchived,
  isFetched,
  type SourceAnswer,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import { withDamage } from "./damage.ts";

/** JSON texts in order, without deleted, hidden or damaged posts. */
export async function readRecords(
  archive: Pick<Archive, "records" | "withheld">,
  items: readonly AnswerItem[],
): Promise<StoredRecords> {
  const archivedItems = items.filter(isArchived);
  if (archivedItems.length === items.length) return await archive.records(archivedItems);
  const fetchedItems = items.filter(isFetched);
  const [{ records: texts, damage }, shownItems] = await Promise.all([
    archivedItems.length === 0 ? noRecords : archive.records(archivedItems),
    visibleItems(archive, fetchedItems),
  ]);
  const textsByPosition = new Map(texts.map((text) => [readPosition(text), text]));
  const records = items.flatMap((item) => {
    if (isFetched(item)) return shownItems.has(item) ? [item.record] : [];
    return textsByPosition.get(`${item.platform} ${item.id}`) ?? [];
  });
  return { records, damage };
}

const noRecords: StoredRecords = { records: [], damage: [] };

const utf8 = new TextEncoder();

export async function recordsPage(
  archive: Pick<Archive, "records" | "page" | "withheld">,
  items: readonly AnswerItem[],
): Promise<StoredPage> {
  const archivedItems = items.filter(isArchived);
  if (archivedItems.length === items.length) return await archive.page(archivedItems);
  const { records, damage } = await readRecords(archive, items);
  return { body: utf8.encode(`[${records.join(",")}]`), damage };
}

async function visibleItems(
  archive: Pick<Archive, "withheld">,
  items: readonly FetchedItem[],
): Promise<ReadonlySet<AnswerItem>> {
  const names = items.flatMap((item) => itemNames(item).map((name) => ({ item, name })));
  const withheldFlags = await archive.withheld(names.map(({ name }) => name));
  const withheldItems = new Set(
    names.flatMap(({ item }, index) => (withheldFlags[index] ? [item] : [])),
  );
  return new Set(items.filter((item) => !withheldItems.has(item)));
}

function itemNames({ platform, uri, userId, record }: FetchedItem): FetchedName[] {
  const ownNames = uri === null && userId === null ? [] : [{ platform, uri, userId }];
  // Quick check: within a JSON string, the quotes would be escaped.
  if (!record.includes('"is_retweet":true')) return ownNames;
  const { Metadata } = asFields(JSON.parse(record));
  const { uri: originalUri, user_id: authorId } = asFields(asFields(Metadata).reposted);
  const repostedName = { platform, uri: textOrNull(originalUri), userId: textOrNull(authorId) };
  return repostedName.uri === null && repostedName.userId === null
    ? ownNames
    : [...ownNames, repostedName];
}

/** A node may have sent invalid values, which must not make the page fail. */
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function readPosition(text: string): string {
  const { ID, Metadata }: { ID: string; Metadata: { platform: Platform } } = JSON.parse(text);
  return `${Metadata.platform} ${ID}`;
}

export type ShownAnswer = Omit<SourceAnswer, "items"> & { items: readonly FetchedItem[] };

/**
 * Adds records for a gateway without this archive. Omits posts deleted or hidden since the search.
 */
export async function withRecords(
  archive: Pick<Archive, "records" | "withheld">,
  answer: SourceAnswer,
): Promise<ShownAnswer> {
  const fetchedItems = answer.items.filter(isFetched);
  const [archivedRecords, fetchedRecords] = await Promise.all([
    readRecords(archive, answer.items.filter(isArchived)),
    readRecords(archive, fetchedItems),
  ]);
  const archivedItems = new Map(
    archivedRecords.records.map(readItem).map((item) => [formatName(item), item] as const),
  );
  const shownItems = findShownItems(fetchedItems, fetchedRecords.records);
  const items = answer.items.flatMap((item) => {
    if (isFetched(item)) return shownItems.has(item) ? [item] : [];
    return archivedItems.get(formatName(item)) ?? [];
  });
  return withDamage({ ...answer, items }, archivedRecords.damage);
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

function findShownItems(
  items: readonly FetchedItem[],
  records: readonly string[],
): ReadonlySet<FetchedItem> {
  const shownItems = new Set<FetchedItem>();
  for (const item of items) {
    if (records[shownItems.size] === item.record) shownItems.add(item);
  }
  return shownItems;
}
