import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import type { AccountStatus, ArchiveChange, FetchedName } from "../archive.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const userId = "did:plc:Ann";
const uri = `at://${userId}/app.bsky.feed.post/1`;
const post: FetchedName = { platform: "bluesky", uri, userId };

const isWithheld = (...names: FetchedName[]): boolean[] =>
  archive.reader.operations.withheld(names);

const account = (status: AccountStatus, observedMs: number): ArchiveChange => ({
  kind: "account",
  platform: "bluesky",
  userId,
  status,
  observedMs,
});

const label = (subject: string, value: string, negated = false, createdMs = 1): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject,
  source: "did:plc:labeler",
  value,
  negated,
  createdMs,
  expiresMs: null,
});

test("unknown posts are not withheld", () => {
  const profile = { platform: "bluesky", uri: null, userId } as const;
  const noOne = { platform: "x", uri: null, userId: null } as const;
  expect(isWithheld(post, profile, noOne)).toEqual([false, false, false]);
  expect(isWithheld()).toEqual([]);
});

test("a deleted post is withheld only on its platform", () => {
  archive.write([{ kind: "delete", platform: "bluesky", uri, revision: "3k" }]);
  const otherPost = { ...post, uri: `${uri}2` };
  expect(isWithheld(post, otherPost, { ...post, platform: "mastodon" })).toEqual([
    true,
    false,
    false,
  ]);
});

test.each(["deactivated", "suspended", "takendown", "deleted", "inactive"] as const)(
  "the posts and profile of an account that is %s are withheld until it is active again",
  (status) => {
    archive.write([account(status, 1)]);
    expect(isWithheld(post, { ...post, uri: null })).toEqual([true, true]);
    archive.write([account("active", 2)]);
    expect(isWithheld(post)).toEqual([false]);
  },
);

test.each(["!takedown", "!hide", "!suspend"])(
  "a post with label %s, or of an account with that label, is withheld",
  (value) => {
    archive.write([label(uri, value)]);
    expect(isWithheld(post, { ...post, uri: `${uri}2` })).toEqual([true, false]);
    archive.write([label(uri, value, true, 2), label(userId, value)]);
    expect(isWithheld({ ...post, uri: `${uri}2` })).toEqual([true]);
  },
);

test("a post is withheld if its account opts out of unauthenticated readers, and other labels are ignored", () => {
  archive.write([label(uri, "spam")]);
  expect(isWithheld(post)).toEqual([false]);
  archive.write([
    {
      kind: "profile",
      platform: "bluesky",
      userId,
      name: "Ann",
      labels: ["!no-unauthenticated"],
      observedMs: 1,
    },
  ]);
  expect(isWithheld(post)).toEqual([true]);
});
