import type { Post } from "../../posts/post.ts";
import { fieldsOf, requiredList, string, unreadableAnswer } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type SentItem, unreadableCode } from "../upstream-page.ts";
import { postOfStatus } from "./post.ts";
import { isSuspended, profileOfAccount } from "./profile.ts";

const maxItems = 8_192;
/** Clock skew; a later time becomes that of the request. */
const maxAheadMs = 600_000;

export const serverName = "the server";

export type ReportedAt = { instance: string; nowMs: number };

type PageOptions = { next: string | null; warnings?: readonly UpstreamWarning[] };

export function fetchedPost(status: unknown, instance: string, nowMs: number): Post | null {
  const createdMs = parseIsoTime(string(fieldsOf(status).created_at, 64) ?? "");
  const isReported = createdMs !== null && createdMs <= nowMs + maxAheadMs;
  return postOfStatus(status, {
    instance,
    seenMs: isReported ? createdMs : nowMs,
    origin: "upstream",
  });
}

/** Public or unlisted, by an author who is not suspended, and for a boost the original too. */
export function isForAll(status: unknown): boolean {
  const { visibility, account, reblog } = fieldsOf(status);
  if (visibility !== "public" && visibility !== "unlisted") return false;
  if (isSuspended(account)) return false;
  return reblog === null || reblog === undefined || isForAll(reblog);
}

export function sentStatus(
  status: unknown,
  { instance, nowMs }: ReportedAt,
  isShown: (status: unknown) => boolean,
): SentItem {
  const post = fetchedPost(status, instance, nowMs);
  if (post === null) return { kind: "unreadable" };
  return isShown(status) ? { kind: "post", post } : { kind: "withheld", times: post };
}

export function pageOfStatuses(
  statuses: unknown,
  at: ReportedAt,
  isShown: (status: unknown) => boolean,
  options: PageOptions,
): UpstreamPage {
  const items = requiredList(statuses, maxItems, at.instance).map((status) =>
    sentStatus(status, at, isShown),
  );
  return itemsPage(items, { name: serverName, nowMs: at.nowMs, ...options });
}

export function pageOfAccounts(
  accounts: unknown,
  { instance, nowMs }: ReportedAt,
  options: PageOptions,
): UpstreamPage {
  const items = requiredList(accounts, maxItems, instance).map((account): SentItem => {
    const profile = profileOfAccount(account, instance);
    if (profile === null) return { kind: "unreadable" };
    return isSuspended(account) ? { kind: "withheld", times: null } : { kind: "profile", profile };
  });
  return itemsPage(items, { name: serverName, nowMs, ...options });
}

/** Errors: `answer_unreadable` if a page's single item was unreadable. */
export function readable(page: UpstreamPage, instance: string): UpstreamPage {
  const isRead =
    page.items.length > 0 || !page.warnings?.some(({ code }) => code === unreadableCode);
  if (isRead) return page;
  throw unreadableAnswer(instance, "it does not match the API's documentation");
}
