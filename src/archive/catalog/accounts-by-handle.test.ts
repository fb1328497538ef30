import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Platform } from "../../posts/post.ts";
import type { ArchiveChange } from "../archive.ts";
import { maxNamedAccounts } from "./accounts.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const account = (platform: Platform, userId: string, username: string): ArchiveChange => ({
  kind: "upsert",
  post: makePost({ platform, uri: `import:${platform}:${userId}`, userId, username }),
});
const handle = (userId: string, name: string, observedMs: number): ArchiveChange => ({
  kind: "handle",
  platform: "bluesky",
  userId,
  handle: name,
  observedMs,
});
const accountsNamed = (name: string) => archive.reader.operations.accountsNamed(name);

test("a username finds its accounts on every platform", () => {
  archive.write([
    account("x", "1", "Ann"),
    account("bluesky", "did:plc:ann", "ann.bsky.social"),
    account("mastodon", "1@one.example", "ann@one.example"),
    account("mastodon", "1@two.example", "ann@two.example"),
    account("x", "2", "anna"),
    account("bluesky", "did:plc:other", "ann.example"),
    account("mastodon", "2@one.example", "anna@one.example"),
    account("mastodon", "3@one.example", "joann@one.example"),
  ]);
  expect(accountsNamed("ann")).toEqual([
    { platform: "bluesky", handle: "ann.bsky.social" },
    { platform: "mastodon", handle: "ann@one.example" },
    { platform: "mastodon", handle: "ann@two.example" },
    { platform: "x", handle: "ann" },
  ]);
  expect(accountsNamed("nobody")).toEqual([]);
});

test("a username does not find former handles or inactive accounts", () => {
  archive.write([
    handle("did:plc:ann", "ann.bsky.social", 1),
    handle("did:plc:ann", "ann.example", 2),
    handle("did:plc:ben", "ben.bsky.social", 1),
    {
      kind: "account",
      platform: "bluesky",
      userId: "did:plc:ben",
      status: "deleted",
      observedMs: 2,
    },
  ]);
  expect(accountsNamed("ann")).toEqual([]);
  expect(accountsNamed("ben")).toEqual([]);
});

test("a username on many servers finds at most `maxNamedAccounts` accounts", () => {
  archive.write(
    Array.from({ length: maxNamedAccounts + 5 }, (_, index) =>
      account("mastodon", `1@s${index}.example`, `ann@s${index}.example`),
    ),
  );
  expect(accountsNamed("ann")).toHaveLength(maxNamedAccounts);
});
