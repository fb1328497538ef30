import type { Profile } from "../../posts/profile.ts";
import { asFields, string } from "../fields.ts";
import { readAccountNames } from "./account.ts";
import { asCount } from "./count.ts";
import { htmlToText } from "./html-text.ts";
import { webAddress } from "./web-address.ts";

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
    url: webAddress(account.url),
    avatarUrl: webAddress(account.avatar),
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

export const isSuspended = (account: unknown): boolean => asFields(account).suspended === true;

const asBoolean = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);

/** A placeholder means no banner. */
function headerBanner(header: unknown): string | null {
  const address = webAddress(header);
  return address?.endsWith("/headers/original/missing.png") ? null : address;
}
