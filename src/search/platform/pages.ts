import { hash } from "node:crypto";
import { EarshotError } from "../../lib/errors.ts";
import type {
  FetchPosition,
  UpstreamItem,
  UpstreamPage,
  UpstreamWarning,
} from "../../platforms/upstream.ts";
import { itemKey } from "../../platforms/upstream-page.ts";
import type { Reading } from "../merge/completeness.ts";
import {
  continueHint,
  emptyPagesWarning,
  endedEarlyWarning,
  pageUnavailableWarning,
  repeatedPagesWarning,
  tooManyPagesWarning,
} from "./page-warnings.ts";
import { watchIdlePages, watchItems } from "./watch-items.ts";

const keyLength = 22;

export const lastItemKey = (item: UpstreamItem): string =>
  hash("sha256", itemKey(item), "base64url").slice(0, keyLength);

export type ReadingPosition = Pick<FetchPosition, "cursor" | "lastKey" | "skip">;

export const firstPage: ReadingPosition = { cursor: null, lastKey: null, skip: 0 };

export type ReadPagesResult = {
  items: readonly UpstreamItem[];
  position: ReadingPosition | null;
} & Reading;

export type PageReading = {
  read: (cursor: string | null, limit: number) => Promise<UpstreamPage>;
  start: ReadingPosition;
  limit: number;
  maxPages: number;
  name: string;
};

/**
 * Reads pages without duplicates. Stops at cyclic or idle pages, after `maxPages`, and at an error
 * after the first item, and returns the items so far with a warning. Errors: those before the first
 * item.
 */
export async function readPages(reading: PageReading): Promise<ReadPagesResult> {
  const { start, limit, maxPages, name } = reading;
  const items: UpstreamItem[] = [];
  const warnings: UpstreamWarning[] = [];
  const watcher = watchItems(name);
  let sinceMs: number | null = null;
  const cursors = new Set<string>(start.cursor === null ? [] : [start.cursor]);
  let position: ReadingPosition = start;
  const idlenessAfter = watchIdlePages();

  const endReading = (
    next: ReadingPosition | null,
    warning?: UpstreamWarning,
  ): ReadPagesResult => ({
    items,
    position: next,
    sinceMs,
    warnings:
      warning === undefined
        ? [...warnings, ...watcher.warnings()]
        : [...warnings, ...watcher.warnings().filter(({ code }) => code !== warning.code), warning],
  });

  for (let pages = 0; pages < maxPages; pages += 1) {
    let page: UpstreamPage;
    try {
      page = await reading.read(position.cursor, limit - items.length);
    } catch (error) {
      if (items.length === 0 || !(error instanceof EarshotError)) throw error;
      return endReading(position, endedEarlyWarning(error));
    }
    if (page.isAbsent && position.cursor !== null)
      return endReading(null, pageUnavailableWarning(name));
    warnings.push(...(page.warnings ?? []));
    if (page.sinceMs !== undefined) sinceMs = Math.max(sinceMs ?? page.sinceMs, page.sinceMs);
    if (page.hasRepeats) watcher.markRepeated();
    const startIndex = startIndexIn(page.items, position);
    let hasNewItems = false;
    for (const [index, item] of page.items.entries()) {
      const key = itemKey(item);
      const isNew = watcher.add(key, null);
      hasNewItems ||= isNew;
      if (!isNew || index < startIndex) continue;
      items.push(item);
      if (items.length < limit) continue;
      const isLast = index === page.items.length - 1;
      if (isLast)
        return endReading(page.next === null ? null : { ...firstPage, cursor: page.next });
      return endReading({ cursor: position.cursor, lastKey: lastItemKey(item), skip: index + 1 });
    }
    if (page.next === null) return endReading(null);
    if (cursors.has(page.next)) return endReading(null, repeatedPagesWarning(name));
    cursors.add(page.next);
    position = { ...firstPage, cursor: page.next };
    const idleness = idlenessAfter(page, hasNewItems);
    if (idleness === "repeated") return endReading(null, repeatedPagesWarning(name));
    if (idleness === "empty") return endReading(position, emptyPagesWarning(name, continueHint));
  }
  return endReading(position, tooManyPagesWarning(name, maxPages));
}

function startIndexIn(items: readonly UpstreamItem[], { lastKey, skip }: ReadingPosition): number {
  if (lastKey === null) return 0;
  const index = items.findIndex((item) => lastItemKey(item) === lastKey);
  return index === -1 ? Math.min(skip, items.length) : index + 1;
}
