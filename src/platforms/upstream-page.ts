import { postTimeMs } from "../posts/ids.ts";
import type { Post } from "../posts/post.ts";
import type { UpstreamItem, UpstreamPage, UpstreamWarning } from "./upstream.ts";

export const unreadableCode = "unreadable_items";

/** `withheld` must not be shown. */
export type SentItem =
  | UpstreamItem
  | { kind: "withheld"; times: Pick<Post, "createdMs" | "seenMs"> | null }
  | { kind: "unreadable" };

export type PageOptions = {
  name: string;
  next: string | null;
  nowMs: number;
  warnings?: readonly UpstreamWarning[];
};

/** Fits into a cursor, as JSON. */
const longestTokenBytes = 2_000;

/** A token that cannot be sent back causes a warning. */
export function pageToken(
  given: unknown,
  name: string,
): { next: string | null; warnings: readonly UpstreamWarning[] } {
  if (given === undefined || given === null || given === "") return { next: null, warnings: [] };
  const isUsable =
    typeof given === "string" && Buffer.byteLength(JSON.stringify(given)) <= longestTokenBytes;
  return isUsable ? { next: given, warnings: [] } : { next: null, warnings: [unusableToken(name)] };
}

const unusableToken = (name: string): UpstreamWarning => ({
  code: "page_token_unusable",
  message: `${name} has more, but its page token is not text of at most ${longestTokenBytes} bytes`,
  isPartial: true,
});

export const emptyPage: UpstreamPage = { items: [], next: null };

export const absentPage: UpstreamPage = { ...emptyPage, isAbsent: true };

/** Distinct. Reports unreadable items and, if any were left out, the count received and the oldest time. */
export function itemsPage(
  sent: readonly SentItem[],
  { name, next, nowMs, warnings = [] }: PageOptions,
): UpstreamPage {
  const items = new Map<string, UpstreamItem>();
  let leftOut = 0;
  let unreadable = 0;
  let hasRepeats = false;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const item of sent) {
    oldestMs = Math.min(oldestMs, timeOf(item, nowMs));
    if (item.kind === "unreadable") unreadable += 1;
    if (item.kind === "unreadable" || item.kind === "withheld") {
      leftOut += 1;
      continue;
    }
    const key = itemKey(item);
    hasRepeats ||= items.has(key);
    if (!items.has(key)) items.set(key, item);
  }
  const all = unreadable === 0 ? warnings : [...warnings, unreadableItems(unreadable, name)];
  return {
    items: [...items.values()],
    next,
    ...(leftOut === 0 ? {} : { received: items.size + leftOut }),
    ...(leftOut === 0 || oldestMs === Number.POSITIVE_INFINITY ? {} : { oldestMs }),
    ...(all.length === 0 ? {} : { warnings: all }),
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

function timeOf(item: SentItem, nowMs: number): number {
  const times = item.kind === "post" ? item.post : item.kind === "withheld" ? item.times : null;
  return times === null ? Number.POSITIVE_INFINITY : postTimeMs(times, nowMs);
}

const unreadableItems = (count: number, name: string): UpstreamWarning => ({
  code: unreadableCode,
  message: `${count} ${count === 1 ? "item" : "items"} of ${name} could not be parsed and ${count === 1 ? "is" : "are"} missing`,
  isPartial: true,
});
