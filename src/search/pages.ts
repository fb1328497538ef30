import { hash } from "node:crypto";
import { EarshotError } from "../lib/errors.ts";
import type {
  FetchPosition,
  UpstreamItem,
  UpstreamPage,
  UpstreamWarning,
} from "../platforms/upstream.ts";
import { keyOf } from "../platforms/upstream-page.ts";
import type { Reading } from "./completeness.ts";
import { watchIdlePages } from "./idle-pages.ts";
import { brokenOff, emptyPages, goOn, pageGone, repeats, tooManyPages } from "./page-warnings.ts";
import { watchItems } from "./watch-items.ts";

/** Long enough that two items of one page never share it. */
const keyLength = 22;

/** What a cursor names an item by, which is short whatever the item calls itself. */
export const lastKeyOf = (item: UpstreamItem): string =>
  hash("sha256", keyOf(item), "base64url").slice(0, keyLength);

/** Where a reading begins or goes on; see `FetchPlace`. */
export type PagePosition = Pick<FetchPosition, "cursor" | "lastKey" | "skip">;

export const firstPage: PagePosition = { cursor: null, lastKey: null, skip: 0 };

export type ReadPages = {
  items: readonly UpstreamItem[];
  /** Where to go on; null when nothing follows. */
  place: PagePosition | null;
} & Reading;

export type PageReading = {
  read: (cursor: string | null, limit: number) => Promise<UpstreamPage>;
  start: PagePosition;
  limit: number;
  maxPages: number;
  /** Names the upstream in remarks. */
  name: string;
};

/**
 * Reads page after page until there are as many items as wanted. Each item comes once, whatever the pages repeat. Pages that
 * lead in a circle, are empty as they are sent or do not end within `maxPages` end the reading, and so does a fault once
 * something was read: what was read is given, and a remark says why it is partial. No `place` leads on in a circle. Errors:
 * the fault of a first page.
 */
export async function readPages(reading: PageReading): Promise<ReadPages> {
  const { start, limit, maxPages, name } = reading;
  const items: UpstreamItem[] = [];
  const remarks: UpstreamWarning[] = [];
  const watched = watchItems(name);
  let sinceMs: number | null = null;
  const cursors = new Set<string>(start.cursor === null ? [] : [start.cursor]);
  let place: PagePosition = start;
  const idlenessOf = watchIdlePages();

  const ended = (next: PagePosition | null, remark?: UpstreamWarning): ReadPages => ({
    items,
    place: next,
    sinceMs,
    remarks:
      remark === undefined
        ? [...remarks, ...watched.remarks()]
        : [...remarks, ...watched.remarks().filter(({ code }) => code !== remark.code), remark],
  });

  for (let pages = 0; pages < maxPages; pages += 1) {
    let page: UpstreamPage;
    try {
      page = await reading.read(place.cursor, limit - items.length);
    } catch (fault) {
      if (items.length === 0 || !(fault instanceof EarshotError)) throw fault;
      return ended(place, brokenOff(fault));
    }
    if (page.isAbsent && place.cursor !== null) return ended(null, pageGone(name));
    remarks.push(...(page.remarks ?? []));
    if (page.sinceMs !== undefined) sinceMs = Math.max(sinceMs ?? page.sinceMs, page.sinceMs);
    if (page.hasRepeats) watched.noteRepeats();
    const from = startIn(page.items, place);
    let isNews = false;
    for (const [index, item] of page.items.entries()) {
      const key = keyOf(item);
      const isFirst = watched.note(key, null);
      isNews ||= isFirst;
      if (!isFirst || index < from) continue;
      items.push(item);
      if (items.length < limit) continue;
      const isLast = index === page.items.length - 1;
      if (isLast) return ended(page.next === null ? null : { ...firstPage, cursor: page.next });
      return ended({ cursor: place.cursor, lastKey: lastKeyOf(item), skip: index + 1 });
    }
    if (page.next === null) return ended(null);
    if (cursors.has(page.next)) return ended(null, repeats(name));
    cursors.add(page.next);
    place = { ...firstPage, cursor: page.next };
    const idleness = idlenessOf(page, isNews);
    if (idleness === "repeated") return ended(null, repeats(name));
    if (idleness === "empty") return ended(place, emptyPages(name, goOn));
  }
  return ended(place, tooManyPages(name, maxPages));
}

/** Behind the item that was given last; where that is gone, behind as many as were given. */
function startIn(items: readonly UpstreamItem[], { lastKey, skip }: PagePosition): number {
  if (lastKey === null) return 0;
  const index = items.findIndex((item) => lastKeyOf(item) === lastKey);
  return index === -1 ? Math.min(skip, items.length) : index + 1;
}
