import type { Post } from "../../posts/post.ts";
import type { Profile } from "../../posts/profile.ts";
import { asFields, requireList, string, unreadableResponse } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type PageItem, unreadableCode } from "../upstream-page.ts";
import { readAccountNames } from "./account.ts";
import { asCount } from "./count.ts";
import { htmlToText } from "./html-text.ts";
import { asHttpUrl } from "./http-url.ts";
import { readStatusPost } from "./post.ts";

const maxItems = 8_192;
/** Allowed clock skew; a later time is replaced by the request's. */
const maxAheadMs = 600_000;

export const serverName = "the server";

export type ResponseOrigin = { instance: string; nowMs: number };

type PageOptions = { next: string | null; warnings?: readonly UpstreamWarning[] };

export function fetchedPost(status: unknown, instance: string, nowMs: number): Post | null {
  const createdMs = parseIsoTime(string(asFields(status).created_at, 64) ?? "");
  const isPlausible = createdMs !== null && createdMs <= nowMs + maxAheadMs;
  return readStatusPost(status, {
    instance,
    seenMs: isPlausible ? createdMs : nowMs,
    origin: "upstream",
  });
}

/**
 * Public or unlisted, by an author who is not suspended. A boost's original must be visible too.
 */
export function isVisibleToAll(status: unknown): boolean {
  const { visibility, account, reblog } = asFields(status);
  if (visibility !== "public" && visibility !== "unlisted") return false;
  if (isSuspended(account)) return false;
  return reblog === null || reblog === undefined || isVisibleToAll(reblog);
}

export function statusPageItem(
  status: unknown,
  { instance, nowMs }: ResponseOrigin,
  isShown: (status: unknown) => boolean,
): PageItem {
  const post = fetchedPost(status, instance, nowMs);
  if (post === null) return { kind: "unreadable" };
  return isShown(status) ? { kind: "post", post } : { kind: "omitted", timestamps: post };
}

export function statusesPage(
  statuses: unknown,
  origin: ResponseOrigin,
  isShown: (status: unknown) => boolean,
  options: PageOptions,
): UpstreamPage {
  const items = requireList(statuses, maxItems, origin.instance).map((status) =>
    statusPageItem(status, origin, isShown),
  );
  return itemsPage(items, { name: serverName, nowMs: origin.nowMs, ...options });
}

export function accountsPage(
  accounts: unknown,
  { instance, nowMs }: ResponseOrigin,
  options: PageOptions,
): UpstreamPage {
  const items = requireList(accounts, maxItems, instance).map((account): PageItem => {
    const profile = readAccountProfile(account, instance);
    if (profile === null) return { kind: "unreadable" };
    return isSuspended(account)
      ? { kind: "omitted", timestamps: null }
      : { kind: "profile", profile };
  });
  return itemsPage(items, { name: serverName, nowMs, ...options });
}

/** Errors: `answer_unreadable` if the only item was unreadable. */
export function requireReadable(page: UpstreamPage, instance: string): UpstreamPage {
  const isReadable =
    page.items.length > 0 || !page.warnings?.some(({ code }) => code === unreadableCode);
  if (isReadable) return page;
  throw unreadableResponse(instance, "it does not match the API's documentation");
}

export function readAccountProfile(value: unknown, instance: string): Profile | null {
  const names = readAccountNames(value, instance);
  if (names === null) return null;
  const account = asFields(value);
  return {
    platform: "mastodon",
    userId: names.userId,
    username: names.username,
    name: names.displayName,
    description: htmlToText(string(account.note, 200_000) ?? "").text || null,
    url: asHttpUrl(account.url),
    avatarUrl: asHttpUrl(account.avatar),
    bannerUrl: headerBanner(account.header),
    location: null,
    createdAt: string(account.created_at, 64),
    // Mastodon verifies links, not identity.
    verified: null,
    isProtected: asBoolean(account.locked),
    isBot: asBoolean(account.bot),
    labels: [],
    counts: {
      followers: asCount(account.followers_count),
      following: asCount(account.following_count),
      posts: asCount(account.statuses_count),
      listed: null,
    },
  };
}

const isSuspended = (account: unknown): boolean => asFields(account).suspended === true;

const asBoolean = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);

/** A placeholder means no banner. */
function headerBanner(header: unknown): string | null {
  const address = asHttpUrl(header);
  return address?.endsWith("/headers/original/missing.png") ? null : address;
}
