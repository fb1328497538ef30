import { expect, test } from "vitest";
import type { FetchedName, Position } from "../../archive/archive.ts";
import type { AnswerItem, FetchedItem } from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import { readRecords, recordsPage } from "./answer-records.ts";

const formatRecord = (platform: Platform, id: bigint, extraMetadata: object = {}): string =>
  JSON.stringify({
    ID: String(id),
    Content: '","Metadata":{"platform":"x"',
    Metadata: { platform, ...extraMetadata },
  });

const archivedPosition = (platform: Platform, id: bigint): Position => ({ platform, id });

const fetchedItem = (id: bigint, overrides: Partial<FetchedItem> = {}): FetchedItem => ({
  platform: "bluesky",
  id,
  uri: `at://${id}`,
  userId: `did:${id}`,
  record: formatRecord("bluesky", id),
  ...overrides,
});

function makeArchive({ deleted = [] as bigint[], withheld = [] as string[] } = {}) {
  const calls = { records: 0, page: 0, withheld: 0 };
  const listTexts = (positions: readonly Position[]): string[] =>
    positions
      .filter(({ id }) => !deleted.includes(id))
      .toSorted((a, b) => Number(b.id - a.id))
      .map(({ platform, id }) => formatRecord(platform, id));
  return {
    calls,
    records: async (positions: readonly Position[]) => {
      calls.records += 1;
      return { records: listTexts(positions), damage: [] };
    },
    page: async (positions: readonly Position[]) => {
      calls.page += 1;
      return { body: new TextEncoder().encode(`[${listTexts(positions).join(",")}]`), damage: [] };
    },
    withheld: async (names: readonly FetchedName[]) => {
      calls.withheld += 1;
      return names.map(({ uri, userId }) => withheld.includes(uri ?? userId ?? ""));
    },
  };
}

const listIds = (records: readonly string[]): string[] =>
  records.map((record) => {
    const { ID, Metadata } = JSON.parse(record);
    return `${Metadata.platform} ${ID}`;
  });

test("records of the archive and platforms are returned in the order of the answer, with one call each", async () => {
  const archive = makeArchive({ deleted: [3n] });
  const items: AnswerItem[] = [
    archivedPosition("x", 5n),
    fetchedItem(9n),
    archivedPosition("bluesky", 7n),
    archivedPosition("x", 7n),
    archivedPosition("x", 3n),
    fetchedItem(1n),
    archivedPosition("mastodon", 6n),
  ];
  const { records } = await readRecords(archive, items);
  expect(listIds(records)).toEqual([
    "x 5",
    "bluesky 9",
    "bluesky 7",
    "x 7",
    "bluesky 1",
    "mastodon 6",
  ]);
  expect(archive.calls).toEqual({ records: 1, page: 0, withheld: 1 });
  const page = new TextDecoder().decode((await recordsPage(archive, items)).body);
  expect(page).toBe(`[${records.join(",")}]`);
});

test("the reader renders the page of an answer that has only archived records", async () => {
  const archive = makeArchive();
  await recordsPage(archive, [archivedPosition("x", 5n)]);
  expect(archive.calls).toEqual({ records: 0, page: 1, withheld: 0 });
});

test("an answer that has only a platform's records reads none from the archive", async () => {
  const archive = makeArchive();
  const { records } = await readRecords(archive, [fetchedItem(2n), fetchedItem(1n)]);
  expect(records).toHaveLength(2);
  expect(archive.calls).toEqual({ records: 0, page: 0, withheld: 1 });
});

test("posts that have been deleted or hidden since the search are dropped, and so are reposts of them", async () => {
  const reposted = { uri: "at://gone", user_id: "did:gone" };
  const repost = fetchedItem(8n, {
    record: formatRecord("bluesky", 8n, { is_retweet: true, reposted }),
  });
  const repostOfUnknown = fetchedItem(7n, {
    record: formatRecord("bluesky", 7n, { is_retweet: true, reposted: null }),
  });
  const profile = fetchedItem(6n, { id: null, uri: null, userId: "did:hidden" });
  const trend = fetchedItem(5n, { id: null, uri: null, userId: null });
  const archive = makeArchive({ withheld: ["at://9", "at://gone", "did:hidden"] });
  const items = [fetchedItem(9n), repost, repostOfUnknown, profile, trend, fetchedItem(4n)];
  const { records } = await readRecords(archive, items);
  expect(listIds(records)).toEqual(["bluesky 7", "bluesky 5", "bluesky 4"]);
});

test.each([
  ["is missing", {}],
  ["is null", { reposted: null }],
  ["is a list", { reposted: [1] }],
  ["has a uri that is an object", { reposted: { uri: {}, user_id: "did:ann" } }],
  ["has a user that is a number", { reposted: { uri: "at://kept", user_id: 5 } }],
])("a repost whose original %s is shown, and so are its neighbours", async (_name, more) => {
  const repost = fetchedItem(8n, {
    record: formatRecord("bluesky", 8n, { is_retweet: true, ...more }),
  });
  const { records } = await readRecords(makeArchive(), [repost, fetchedItem(4n)]);
  expect(listIds(records)).toEqual(["bluesky 8", "bluesky 4"]);
});
