import { postTimeMs } from "../posts/ids.ts";
import type { Post } from "../posts/post.ts";
import type { UpstreamItem, UpstreamPage, UpstreamWarning } from "./upstream.ts";

/** The code of the remark that some of what a platform sent could not be read. */
export const unreadableCode = "unreadable_items";

/** An item as a platform sent it, or why it is left out: it is not to be shown, or not to be read. */
export type SentItem =
  | UpstreamItem
  | { kind: "withheld"; times: Pick<Post, "createdMs" | "seenMs"> | null }
  | { kind: "unreadable" };

export type PageOptions = {
  /** Names the platform in remarks. */
  name: string;
  next: string | null;
  nowMs: number;
  remarks?: readonly UpstreamWarning[];
};

/** The longest page token that is sent back, in bytes as JSON: a cursor has room for it. */
const longestTokenBytes = 2_000;

/**
 * The page token of an answer, opaque: it is sent back as it came. Null on the last page; a token that is no text or too long
 * cannot be sent back, which a remark reports.
 */
export function pageToken(
  given: unknown,
  name: string,
): { next: string | null; remarks: readonly UpstreamWarning[] } {
  if (given === undefined || given === null || given === "") return { next: null, remarks: [] };
  const isUsable =
    typeof given === "string" && Buffer.byteLength(JSON.stringify(given)) <= longestTokenBytes;
  return isUsable ? { next: given, remarks: [] } : { next: null, remarks: [unusableToken(name)] };
}

const unusableToken = (name: string): UpstreamWarning => ({
  code: "page_token_unusable",
  message: `${name} has more, but its page token is not text of at most ${longestTokenBytes} bytes`,
  isPartial: true,
});

export const emptyPage: UpstreamPage = { items: [], next: null };

/** What was asked about does not exist, or may not be seen. */
export const absentPage: UpstreamPage = { ...emptyPage, isAbsent: true };

/**
 * The page of what a platform sent, each item once, without what is left out. It tells how many could not be read; and, where
 * anything was left out, how many were sent and from when the oldest of them is.
 */
export function pageOf(
  sent: readonly SentItem[],
  { name, next, nowMs, remarks = [] }: PageOptions,
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
    const key = keyOf(item);
    hasRepeats ||= items.has(key);
    if (!items.has(key)) items.set(key, item);
  }
  const all = unreadable === 0 ? remarks : [...remarks, unreadableItems(unreadable, name)];
  return {
    items: [...items.values()],
    next,
    ...(leftOut === 0 ? {} : { received: items.size + leftOut }),
    ...(leftOut === 0 || oldestMs === Number.POSITIVE_INFINITY ? {} : { oldestMs }),
    ...(all.length === 0 ? {} : { remarks: all }),
    ...(hasRepeats ? { hasRepeats } : {}),
  };
}

/** What tells an item of a platform from the others of its kind. */
export function keyOf(item: UpstreamItem): string {
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
  message: `${count} of the items that ${name} answered with could not be read and ${count === 1 ? "is" : "are"} left out`,
  isPartial: true,
});
