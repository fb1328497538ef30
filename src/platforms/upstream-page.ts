import { postTimeMs } from "../posts/ids.ts";
import type { Post } from "../posts/post.ts";
import type { UpstreamItem, UpstreamPage, UpstreamWarning } from "./upstream.ts";

export const unreadableCode = "unreadable_items";

/** An `omitted` item must not be shown. */
export type PageItem =
  | UpstreamItem
  | { kind: "omitted"; timestamps: Pick<Post, "createdMs" | "seenMs"> | null }
  | { kind: "unreadable" };

export type PageOptions = {
  name: string;
  next: string | null;
  nowMs: number;
  warnings?: readonly UpstreamWarning[];
};

/** Fits into a cursor as JSON. */
const maxTokenBytes = 2_000;

/** A token that cannot be sent back is replaced by a warning. */
export function pageToken(
  token: unknown,
  name: string,
): { next: string | null; warnings: readonly UpstreamWarning[] } {
  if (token === undefined || token === null || token === "") return { next: null, warnings: [] };
  const isUsable =
    typeof token === "string" && Buffer.byteLength(JSON.stringify(token)) <= maxTokenBytes;
  return isUsable ? { next: token, warnings: [] } : { next: null, warnings: [unusableToken(name)] };
}

const unusableToken = (name: string): UpstreamWarning => ({
  code: "page_token_unusable",
  message: `${name} has more, but its page token is not text of at most ${maxTokenBytes} bytes`,
  isPartial: true,
});

export const emptyPage: UpstreamPage = { items: [], next: null };

export const absentPage: UpstreamPage = { ...emptyPage, isAbsent: true };

/**
 * Removes duplicates. Reports unreadable items and, if any were omitted, the number received and
 * the oldest time.
 */
export function itemsPage(
  receivedItems: readonly PageItem[],
  { name, next, nowMs, warnings = [] }: PageOptions,
): UpstreamPage {
  const items = new Map<string, UpstreamItem>();
  let omittedCount = 0;
  let unreadableCount = 0;
  let hasRepeats = false;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const item of receivedItems) {
    oldestMs = Math.min(oldestMs, itemTime(item, nowMs));
    if (item.kind === "unreadable") unreadableCount += 1;
    if (item.kind === "unreadable" || item.kind === "omitted") {
      omittedCount += 1;
      continue;
    }
    const key = itemKey(item);
    hasRepeats ||= items.has(key);
    if (!items.has(key)) items.set(key, item);
  }
  const allWarnings =
    unreadableCount === 0 ? warnings : [...warnings, unreadableItems(unreadableCount, name)];
  return {
    items: [...items.values()],
    next,
    ...(omittedCount === 0 ? {} : { received: items.size + omittedCount }),
    ...(omittedCount === 0 || oldestMs === Number.POSITIVE_INFINITY ? {} : { oldestMs }),
    ...(allWarnings.length === 0 ? {} : { warnings: allWarnings }),
    ...(hasRepeats ? { hasRepeats } : {}),
  };
}

export function itemKey(item: UpstreamItem): string {
  switch (item.kind) {
    case "post":
      return `post ${item.post.uri}`;
    case "profile":
      return `profile ${item.profile.userId}`;
    case "trend":
      return `trend ${item.trend.name}`;
    case "space":
      return `space ${item.space.id}`;
  }
}

function itemTime(item: PageItem, nowMs: number): number {
  const timestamps =
    item.kind === "post" ? item.post : item.kind === "omitted" ? item.timestamps : null;
  return timestamps === null ? Number.POSITIVE_INFINITY : postTimeMs(timestamps, nowMs);
}

const unreadableItems = (count: number, name: string): UpstreamWarning => ({
  code: unreadableCode,
  message: `${count} ${count === 1 ? "item" : "items"} from ${name} could not be parsed and ${count === 1 ? "is" : "are"} missing`,
  isPartial: true,
});
