import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { AccountStatus, ArchiveChange } from "../archive.ts";
import { openCatalog } from "../catalog/open-catalog.ts";

const start = Date.UTC(2026, 0, 1);
const userId = "7@mastodon.example";
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(3);
});
afterEach(() => archive.remove());

const makeUri = (n: number): string => `https://other.example/users/ann/statuses/${n}`;
const makeAlias = (n: number): string => `import:mastodon:${n}@mastodon.example`;

const post = (n: number, overrides: Partial<ReturnType<typeof makePost>> = {}) =>
  makePost({
    platform: "mastodon",
    uri: makeUri(n),
    url: null,
    userId,
    username: "ann@other.example",
    createdMs: start + n * 60_000,
    seenMs: start + n * 60_000,
    origin: "stream",
    revision: "2026-01-01",
    text: `post ${n} of a river`,
    ...overrides,
  });

const put = (n: number): ArchiveChange => ({ kind: "upsert", post: post(n), alias: makeAlias(n) });
const deletion = (name: string, revision = "~"): ArchiveChange => ({
  kind: "delete-stored",
  platform: "mastodon",
  name,
  revision,
});
const account = (status: AccountStatus, observedMs: number): ArchiveChange => ({
  kind: "account",
  platform: "mastodon",
  userId,
  status,
  observedMs,
});
const known = (atMs: number): ArchiveChange => ({
  kind: "looked-up",
  platform: "mastodon",
  userId,
  atMs,
});

function aliasCount(): number {
  const catalog = openCatalog(archive.folder);
  const { count } = catalog.prepare("SELECT count(*) AS count FROM alias").get() ?? {};
  catalog.close();
  return Number(count);
}

const foundUris = (): string[] =>
  archive.records(archive.query("river").positions).map((record) => record.Metadata.uri);

describe("deletion by alias", () => {
  test("a deletion by alias removes the post from any segment, even after a restart", () => {
    archive.write([0, 1, 2, 3, 4, 5, 6, 7].map(put));
    archive.reopen();
    expect(archive.write([deletion(makeAlias(1)), deletion(makeAlias(6))])).toMatchObject({
      deleted: 2,
    });
    expect(foundUris()).toEqual([7, 5, 4, 3, 2, 0].map(makeUri));
  });

  test("a deletion by alias removes a post in the same batch", () => {
    expect(archive.write([put(1), deletion(makeAlias(1))])).toMatchObject({ suppressed: 1 });
    expect(foundUris()).toEqual([]);
  });

  test("a deletion by alias prevents the post's return", () => {
    archive.write([put(1)]);
    archive.write([deletion(makeAlias(1))]);
    expect(archive.write([put(1)])).toMatchObject({ suppressed: 1 });
    expect(foundUris()).toEqual([]);
  });

  test("a deletion by alias at an earlier revision than the stored one removes nothing", () => {
    archive.write([put(1)]);
    archive.write([deletion(makeAlias(1), "2025-12-31")]);
    expect(foundUris()).toEqual([makeUri(1)]);
  });

  test("a deletion by alias also accepts the uri as the name", () => {
    archive.put(post(1, { uri: makeAlias(1) }));
    archive.write([deletion(makeAlias(1))]);
    expect(foundUris()).toEqual([]);
  });

  test("a deletion by alias leaves no tombstone for an unknown post", () => {
    archive.write([deletion(makeAlias(1)), deletion(makeUri(1))]);
    expect(archive.write([put(1)])).toMatchObject({ inserted: 1 });
  });

  test("a deletion by alias removes a post that was first stored without the alias", () => {
    archive.put(post(1));
    expect(archive.write([put(1)])).toMatchObject({ unchanged: 1 });
    archive.write([deletion(makeAlias(1))]);
    expect(foundUris()).toEqual([]);
  });
});

test("aliases are listed by page, newest posts first, even after a restart", () => {
  archive.write([0, 1, 2, 3, 4].map(put));
  archive.reopen();
  const { aliases } = archive.reader.operations;
  const firstPage = aliases({ platform: "mastodon", below: null, limit: 3 });
  expect(firstPage.map(({ name }) => name)).toEqual([4, 3, 2].map(makeAlias));
  const below = firstPage.at(-1)?.id ?? null;
  const nextPage = aliases({ platform: "mastodon", below, limit: 3 });
  expect(nextPage.map(({ name }) => name)).toEqual([1, 0].map(makeAlias));
  archive.write([deletion(makeAlias(1))]);
  const storedFlags = aliases({ platform: "mastodon", below, limit: 3 }).map(
    ({ isStored }) => isStored,
  );
  expect(storedFlags).toEqual([false, true]);
  expect(aliases({ platform: "bluesky", below: null, limit: 3 })).toEqual([]);
});

test("an alias of a deleted post is removed by the next sweep", () => {
  archive.write([put(1), put(2)]);
  archive.write([deletion(makeUri(1))]);
  expect(aliasCount()).toBe(2);
  archive.expire(start);
  expect(aliasCount()).toBe(1);
  expect(archive.write([deletion(makeAlias(2))])).toMatchObject({ deleted: 1 });
});

describe("account that opts out", () => {
  test("all posts of an account that opts out are hidden until it opts in", () => {
    archive.write([known(start), ...[0, 1, 2, 3, 4].map(put)]);
    archive.write([account("opted-out", start + 1)]);
    expect(foundUris()).toEqual([]);
    archive.write([put(5)]);
    expect(foundUris()).toEqual([]);
    archive.write([account("active", start + 2)]);
    expect(foundUris()).toHaveLength(6);
  });

  test("an account that opts out in the same batch as its first post is hidden", () => {
    archive.write([known(start), put(1), account("opted-out", start + 1)]);
    expect(foundUris()).toEqual([]);
  });

  test("an opt-out is not recorded for an account without stored posts", () => {
    archive.write([account("opted-out", start + 5)]);
    archive.write([known(start), put(1)]);
    expect(foundUris()).toEqual([makeUri(1)]);
  });
});
