import type { Post } from "../../posts/post.ts";
import { fieldsOf, list, string } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { UpstreamItem, UpstreamPage, UpstreamRemark } from "../upstream.ts";
import { postOfStatus } from "./post.ts";
import { isWithheld, profileOfAccount } from "./profile.ts";

/** Above what servers answer with: it bounds the work that one answer can make. */
const mostItems = 8_192;
/** Clocks differ; a post from later than this is taken for one of the moment in which it is asked for. */
const mostAheadMs = 600_000;

export type PageOptions = {
  next: string | null;
  remarks?: readonly UpstreamRemark[];
};

/** What was asked about does not exist, or may not be seen. */
export const absentPage: UpstreamPage = { items: [], next: null, isAbsent: true };

/** The post of a status that was fetched. */
export function fetchedPost(status: unknown, instance: string, nowMs: number): Post | null {
  const createdMs = parseIsoTime(string(fieldsOf(status).created_at, 64) ?? "");
  const isTold = createdMs !== null && createdMs <= nowMs + mostAheadMs;
  return postOfStatus(status, { instance, seenMs: isTold ? createdMs : nowMs, origin: "upstream" });
}

/** Whether strangers may see a status: its author has not kept it to some. The same goes for what it reposts. */
export function isForAll(status: unknown): boolean {
  const { visibility, account, reblog } = fieldsOf(status);
  if (visibility !== "public" && visibility !== "unlisted") return false;
  if (isWithheld(account)) return false;
  return reblog === null || reblog === undefined || isForAll(reblog);
}

/** A page of posts, each once, of those statuses that `isShown` lets by; a remark tells how many cannot be read. */
export function pageOfStatuses(
  statuses: unknown,
  place: { instance: string; nowMs: number },
  isShown: (status: unknown) => boolean,
  { next, remarks = [] }: PageOptions,
): UpstreamPage {
  const found = new Map<string, UpstreamItem>();
  let unreadable = 0;
  for (const status of list(statuses, mostItems)) {
    const post = fetchedPost(status, place.instance, place.nowMs);
    if (post === null) unreadable += 1;
    if (post === null || found.has(post.uri) || !isShown(status)) continue;
    found.set(post.uri, { kind: "post", post });
  }
  return pageOf([...found.values()], unreadable, { next, remarks });
}

/** A page of accounts, each once. */
export function pageOfAccounts(
  accounts: unknown,
  instance: string,
  { next, remarks = [] }: PageOptions,
): UpstreamPage {
  const found = new Map<string, UpstreamItem>();
  let unreadable = 0;
  for (const account of list(accounts, mostItems)) {
    const profile = profileOfAccount(account, instance);
    if (profile === null) unreadable += 1;
    if (profile === null || found.has(profile.userId) || isWithheld(account)) continue;
    found.set(profile.userId, { kind: "profile", profile });
  }
  return pageOf([...found.values()], unreadable, { next, remarks });
}

export function pageOf(
  items: readonly UpstreamItem[],
  unreadable: number,
  { next, remarks = [] }: PageOptions,
): UpstreamPage {
  const all = unreadable === 0 ? remarks : [...remarks, unreadableItems(unreadable)];
  return { items, next, ...(all.length === 0 ? {} : { remarks: all }) };
}

const unreadableItems = (count: number): UpstreamRemark => ({
  code: "unreadable_items",
  message: `${count} of the items that the server answered with could not be read and ${count === 1 ? "is" : "are"} left out`,
});
