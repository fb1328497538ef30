import type { Post } from "../../posts/post.ts";
import { fieldsOf, requiredList, string, unreadableAnswer } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { pageOf, type SentItem, unreadableCode } from "../upstream-page.ts";
import { postOfStatus } from "./post.ts";
import { isWithheld, profileOfAccount } from "./profile.ts";

/** Above what servers answer with: it bounds the work that one answer can make. */
const mostItems = 8_192;
/** Clocks differ; a post from later than this is taken for one of the moment in which it is asked for. */
const mostAheadMs = 600_000;

/** How remarks name whoever answered: it may be any server. */
export const name = "the server";

/** Where items were told, and when, Unix milliseconds. */
export type ReportedAt = { instance: string; nowMs: number };

type PageOptions = { next: string | null; remarks?: readonly UpstreamWarning[] };

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

/** A status as a post; why it is left out where it cannot be read or `isShown` does not let it by. */
export function sentStatus(
  status: unknown,
  { instance, nowMs }: ReportedAt,
  isShown: (status: unknown) => boolean,
): SentItem {
  const post = fetchedPost(status, instance, nowMs);
  if (post === null) return { kind: "unreadable" };
  return isShown(status) ? { kind: "post", post } : { kind: "withheld", times: post };
}

/** A page of posts, each once, of those statuses that `isShown` lets by; a remark tells how many cannot be read. */
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

/** A page of accounts, each once. */
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

/** A page of one item. Errors: `answer_unreadable` where that is none. */
export function readable(page: UpstreamPage, instance: string): UpstreamPage {
  const isRead =
    page.items.length > 0 || !page.remarks?.some(({ code }) => code === unreadableCode);
  if (isRead) return page;
  throw unreadableAnswer(instance, "it is not in the form that the interface documents");
}
