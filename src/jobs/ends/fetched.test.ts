import { afterEach, beforeEach, expect, test } from "vitest";
import type { FetchedItem } from "../../platforms/source.ts";
import { newJob, result, startTestQueue, type TestQueue } from "../test-jobs.ts";

let jobs: TestQueue;
beforeEach(async () => {
  jobs = await startTestQueue({ resultRetentionMs: 60_000 });
});
afterEach(() => jobs.close());

const item = (overrides: Partial<FetchedItem>): FetchedItem => ({
  platform: "bluesky",
  id: 9_007_199_254_740_993n,
  uri: "at://did:plc:ann/app.bsky.feed.post/1",
  userId: "did:plc:ann",
  record: "{}",
  ...overrides,
});

async function completeWith(...items: FetchedItem[]): Promise<void> {
  await jobs.queue.submit(newJob());
  const { uuid, token } = await jobs.lease();
  await jobs.queue.complete(uuid, token, { ...result, items });
}

const findFetched = (accountId: string, id: bigint) =>
  jobs.table.store.read("findFetched", { accountId, id, nowMs: jobs.clock.now() });

test("the ID of a fetched post identifies it for the account until the result expires", async () => {
  const { id, uri } = item({});
  await completeWith(item({}));
  expect(await findFetched("one", id ?? 0n)).toEqual([{ platform: "bluesky", uri }]);
  expect(await findFetched("two", id ?? 0n)).toEqual([]);
  expect(await findFetched("one", 1n)).toEqual([]);
  await jobs.clock.advance(130_000);
  expect(await findFetched("one", id ?? 0n)).toEqual([]);
  expect(jobs.table.database.all("SELECT uri FROM fetched_post")).toEqual([]);
});

test("fetching a post again stores its ID longer, and posts of two platforms may have the same ID", async () => {
  await completeWith(item({}));
  await jobs.clock.advance(50_000);
  await completeWith(item({}), item({ platform: "mastodon", uri: "https://mas.to/1" }));
  await jobs.clock.advance(30_000);
  expect(await findFetched("one", item({}).id ?? 0n)).toEqual([
    { platform: "bluesky", uri: "at://did:plc:ann/app.bsky.feed.post/1" },
    { platform: "mastodon", uri: "https://mas.to/1" },
  ]);
});

test("no ID is stored for records that are not posts, for IDs out of range, or for posts whose URI follows from the ID", async () => {
  await completeWith(
    item({ id: null }),
    item({ uri: null }),
    item({ platform: "x", id: 20n, uri: "https://x.com/i/status/20" }),
    item({ id: 2n ** 63n }),
  );
  expect(jobs.table.database.all("SELECT uri FROM fetched_post")).toEqual([]);
});
