import type { Post } from "../../posts/post.ts";
import { fieldsOf, requiredList, string, unreadableAnswer } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { pageOf, type SentItem, unreadableCode } from "../upstream-page.ts";
import { postOfStatus } from "./post.ts";
import { isWithheld, profileOfAccount } from "./profile.ts";

const mostItems = 8_192;
/** Clock skew; a later time becomes that of the request. */
const mostAheadMs = 600_000;

/** It may be any server. */
export const name = "the server";

export type ReportedAt = { instance: string; nowMs: number };

type PageOptions = { next: string | null; remarks?: readonly UpstreamWarning[] };

export function fetchedPost(status: unknown, instance: string, nowMs: number): Post | null {
  const createdMs = parseIsoTime(string(fieldsOf(status).created_at, 64) ?? "");
  const isReported = createdMs !== null && createdMs <= nowMs + mostAheadMs;
  return postOfStatus(status, {
    instance,
    seenMs: isReported ? createdMs : nowMs,
    origin: "upstream",
  });
}

/** Public or unlisted, by an author who is not suspended; the same for a boost's original. */
export function isForAll(status: unknown): boolean {
  const { visibility, account, reblog } = fieldsOf(status);
  if (visibility !== "public" && visibility !== "unlisted") return false;
  if (isWithheld(account)) return false;
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
  const sent = requiredList(statuses, mostItems, at.instance).map((status) =>
    sentStatus(status, at, isShown),
  );
  return pageOf(sent, { name, nowMs: at.nowMs, ...options });
}

export function pageOfAccounts(
  accounts: unknown,
  { instance, nowMs }: ReportedAt,
  options: PageOptions,
): UpstreamPage {
  const sent = requiredList(accounts, mostItems, instance).map((account): SentItem => {
    const profile = profileOfAccount(account, instance);
    if (profile === null) return { kind: "unreadable" };
    return isWithheld(account) ? { kind: "withheld", times: null } : { kind: "profile", profile };
  });
  return pageOf(sent, { name, nowMs, ...options });
}

/** Errors: `answer_unreadable` if a page's single item was unreadable. */
export function readable(page: UpstreamPage, instance: string): UpstreamPage {
  const isRead =
    page.items.length > 0 || !page.remarks?.some(({ code }) => code === unreadableCode);
  if (isRead) return page;
  throw unreadableAnswer(instance, "it is not in the form that the interface documents");
}
