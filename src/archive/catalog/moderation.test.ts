import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { AccountStatus, ArchiveChange, Position } from "../archive.ts";
import { openCatalog } from "./open-catalog.ts";

const start = Date.UTC(2026, 0, 1);
const alice = "did:plc:alice";
const labeler = "did:plc:labeler";
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(3);
});
afterEach(() => archive.remove());

const makeUri = (did: string, key: string): string => `at://${did}/app.bsky.feed.post/${key}`;

function post(did: string, n: number, text = `post ${n} of a river`) {
  return makePost({
    uri: makeUri(did, `${n}`),
    userId: did,
    username: "",
    createdMs: start + n * 60_000,
    origin: "stream",
    text,
  });
}

const status = (userId: string, status: AccountStatus, observedMs: number): ArchiveChange => ({
  kind: "account",
  platform: "bluesky",
  userId,
  status,
  observedMs,
});

const label = (subject: string, value: string, rest: Partial<Label> = {}): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject,
  source: labeler,
  value,
  negated: false,
  createdMs: start,
  expiresMs: null,
  ...rest,
});
type Label = Extract<ArchiveChange, { kind: "label" }>;

const profile = (labels: readonly string[], observedMs: number): ArchiveChange => ({
  kind: "profile",
  platform: "bluesky",
  userId: alice,
  name: "Alice",
  labels,
  observedMs,
});

const foundUris = (query: string): string[] =>
  archive.records(archive.query(query).positions).map((record) => record.Metadata.uri);

function putPosts(count = 10): void {
  archive.put(
    ...Array.from({ length: count }, (_, n) => post(n % 2 === 0 ? alice : "did:plc:bob", n)),
  );
}

describe("account status", () => {
  test.each(["takendown", "suspended", "deactivated", "inactive"] as const)(
    "account status %s hides the account's posts in all segments, and active shows them again",
    (accountStatus) => {
      putPosts();
      const { positions } = archive.query("river");
      archive.write([status(alice, accountStatus, start + 1)]);
      expect(foundUris("river")).toHaveLength(5);
      expect(foundUris(`from:${alice}`)).toEqual([]);
      expect(archive.search({ plan: { kind: "all" } }).positions).toHaveLength(5);
      expect(archive.records(positions as Position[])).toHaveLength(5);
      archive.write([status(alice, "active", start + 2)]);
      expect(foundUris("river")).toHaveLength(10);
      expect(archive.records(positions as Position[])).toHaveLength(10);
    },
  );

  test("an account status also hides posts that arrive later, and the latest status applies", () => {
    archive.write([status(alice, "takendown", start + 5), status(alice, "active", start + 1)]);
    archive.put(post(alice, 1));
    expect(foundUris("river")).toEqual([]);
    archive.write([status(alice, "active", start + 6)]);
    expect(foundUris("river")).toHaveLength(1);
  });

  test("a repeated or older account status changes nothing", () => {
    putPosts();
    for (let round = 0; round < 3; round += 1) {
      archive.write([status(alice, "takendown", start + 5)]);
      expect(foundUris("river")).toHaveLength(5);
    }
    archive.write([status(alice, "active", start + 4)]);
    expect(foundUris("river")).toHaveLength(5);
  });

  test("account status deleted removes the account's posts permanently, but a reactivated account can post again", () => {
    putPosts();
    const deletedMs = start + 60 * 60_000;
    expect(archive.write([status(alice, "deleted", deletedMs)])).toMatchObject({ deleted: 5 });
    expect(foundUris("river")).toHaveLength(5);
    archive.write([status(alice, "active", deletedMs + 1)]);
    expect(archive.put(post(alice, 0))).toMatchObject({ suppressed: 1 });
    expect(archive.put(post(alice, 70))).toMatchObject({ inserted: 1 });
    expect(foundUris(`from:${alice}`)).toEqual([makeUri(alice, "70")]);
  });

  test("account status deleted, and a reactivation, apply to posts in the same batch", () => {
    const deletedMs = start + 60 * 60_000;
    archive.write([
      { kind: "upsert", post: post(alice, 1) },
      status(alice, "deleted", deletedMs),
      status(alice, "active", deletedMs + 1),
      { kind: "upsert", post: post(alice, 61) },
    ]);
    expect(foundUris("river")).toEqual([makeUri(alice, "61")]);
  });

  test("an account status survives reopening the archive", () => {
    putPosts();
    archive.write([status(alice, "takendown", start + 1)]);
    archive.reopen();
    expect(foundUris("river")).toHaveLength(5);
  });
});

describe("a crash during the moderation of an account", () => {
  function leaveHalfModerated(): void {
    const catalog = openCatalog(archive.folder);
    changeCatalog(catalog, `INSERT INTO pending_moderation VALUES('bluesky', '${alice}')`);
    catalog.close();
    const firstSegment = new DatabaseSync(join(archive.folder, "bluesky", "000001.db"));
    firstSegment.exec("INSERT INTO hidden SELECT id FROM post WHERE record LIKE '%alice%'");
    firstSegment.close();
  }

  test("interrupted moderation of an account is completed by the next batch", () => {
    putPosts();
    leaveHalfModerated();
    expect(foundUris("river").length).toBeLessThan(10);
    archive.write([]);
    expect(foundUris("river")).toHaveLength(10);
  });

  test("interrupted moderation of an account is completed with the account's latest status", () => {
    putPosts();
    leaveHalfModerated();
    archive.write([status(alice, "active", start + 9)]);
    archive.write([status(alice, "takendown", start + 5)]);
    expect(foundUris("river")).toHaveLength(10);
  });

  test("the list of pending moderation is empty after a batch", () => {
    putPosts();
    archive.write([
      status(alice, "takendown", start + 1),
      label(makeUri("did:plc:bob", "1"), "spam"),
    ]);
    const catalog = openCatalog(archive.folder);
    expect(catalog.prepare("SELECT count(*) AS rows FROM pending_moderation").get()).toEqual({
      rows: 0,
    });
    catalog.close();
  });
});

describe("an account that opts out of unauthenticated readers", () => {
  test("an account that opts out of unauthenticated readers is hidden until it opts in again", () => {
    putPosts();
    archive.write([profile(["!no-unauthenticated"], start + 1)]);
    expect(foundUris("river")).toHaveLength(5);
    archive.put(post(alice, 20));
    expect(foundUris("river")).toHaveLength(5);
    archive.write([profile([], start + 2)]);
    expect(foundUris("river")).toHaveLength(11);
  });

  test("the name of an account that has not opted out is shown", () => {
    archive.write([{ kind: "upsert", post: post(alice, 1) }, profile([], start)]);
    const [record] = archive.records(archive.query("river").positions);
    expect(record?.Metadata).toMatchObject({ author: "Alice", username: alice });
  });
});

describe("labels", () => {
  test.each(["!takedown", "!hide", "!suspend"])(
    "label %s hides a post until it is negated",
    (value) => {
      putPosts();
      archive.write([label(makeUri(alice, "4"), value)]);
      expect(foundUris("river")).toHaveLength(9);
      archive.write([label(makeUri(alice, "4"), value, { negated: true, createdMs: start + 1 })]);
      expect(foundUris("river")).toHaveLength(10);
    },
  );

  test("retracting a hiding label on an account does not show posts with their own hiding label", () => {
    putPosts();
    archive.write([label(alice, "!takedown"), label(makeUri(alice, "4"), "!hide")]);
    expect(foundUris("river")).toHaveLength(5);
    archive.write([label(alice, "!takedown", { negated: true, createdMs: start + 1 })]);
    expect(foundUris("river")).toHaveLength(9);
  });

  test("a label that does not hide its post is shown with the post, whichever arrives first", () => {
    archive.write([label(makeUri(alice, "1"), "porn")]);
    archive.put(post(alice, 1), post(alice, 2));
    archive.write([label(makeUri(alice, "2"), "spam")]);
    expect(foundUris("label:porn")).toEqual([makeUri(alice, "1")]);
    expect(foundUris("label:spam")).toEqual([makeUri(alice, "2")]);
    expect(foundUris("river filter:safe")).toEqual([makeUri(alice, "2")]);
    const [second, first] = archive.records(archive.query("river").positions);
    expect(first?.Metadata).toMatchObject({ labels: ["porn"], possibly_sensitive: true });
    expect(second?.Metadata).toMatchObject({ labels: ["spam"] });
  });

  test("a label on an account is shown with all posts of the account until the label is retracted", () => {
    putPosts();
    archive.write([label(alice, "spam")]);
    archive.put(post(alice, 20));
    expect(foundUris("label:spam")).toHaveLength(6);
    archive.write([label(alice, "spam", { negated: true, createdMs: start + 1 })]);
    expect(foundUris("label:spam")).toEqual([]);
    expect(foundUris("river")).toHaveLength(11);
  });

  test("a label survives an edit of its post", () => {
    archive.put({ ...post(alice, 1), revision: "3lb2ouyrqzs2a" });
    archive.write([label(makeUri(alice, "1"), "porn"), label(makeUri(alice, "1"), "!hide")]);
    archive.put({ ...post(alice, 1, "an edited river"), revision: "3lb2ouyrqzs2b" });
    expect(foundUris("river")).toEqual([]);
    archive.write([label(makeUri(alice, "1"), "!hide", { negated: true, createdMs: start + 1 })]);
    expect(foundUris("edited label:porn")).toHaveLength(1);
  });

  test("a label is not retracted by another source, nor by an older label", () => {
    putPosts(2);
    const uri = makeUri(alice, "0");
    archive.write([label(uri, "spam", { createdMs: start + 10 })]);
    archive.write([label(uri, "spam", { negated: true, source: "did:plc:other" })]);
    archive.write([label(uri, "spam", { negated: true, createdMs: start + 9 })]);
    expect(foundUris("label:spam")).toEqual([uri]);
  });

  test("a label is removed when it expires", () => {
    putPosts(2);
    const uri = makeUri(alice, "0");
    archive.write([label(uri, "!hide", { expiresMs: start + 1_000 }), label(uri, "spam")]);
    archive.expire(start + 999);
    expect(foundUris("river")).toHaveLength(1);
    archive.expire(start + 1_000);
    expect(foundUris("river")).toHaveLength(2);
    expect(foundUris("label:spam")).toEqual([uri]);
  });

  test("a label that is an unknown instruction is never shown", () => {
    putPosts(2);
    archive.write([label(makeUri(alice, "0"), "!warn")]);
    expect(foundUris("label:!warn")).toEqual([]);
    expect(archive.records(archive.query("river").positions)).toHaveLength(2);
  });

  test("a label on an unknown post applies when the post arrives", () => {
    archive.write([label(makeUri(alice, "1"), "!takedown")]);
    expect(archive.put(post(alice, 1))).toMatchObject({ inserted: 1 });
    expect(foundUris("river")).toEqual([]);
  });
});
