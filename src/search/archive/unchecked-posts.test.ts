import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Archive, CoverageInterval } from "../../archive/archive.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { staleWarning, uncheckedWarnings } from "./unchecked-posts.ts";

const minute = 60_000;
const startMs = Date.UTC(2026, 0, 1);
const outage = { fromMs: startMs + 60 * minute, toMs: startMs + 90 * minute };
const nowMs = startMs + 120 * minute;
const author = "did:plc:ann";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const interval = (overrides: Partial<CoverageInterval>): CoverageInterval => ({
  platform: "bluesky",
  collection: "posts",
  account: null,
  source: "jetstream",
  fromMs: startMs,
  toMs: nowMs,
  ...overrides,
});
const beforeOutage = interval({ toMs: outage.fromMs });
const afterOutage = interval({ fromMs: outage.toMs });

function storePost(
  coverage: readonly CoverageInterval[],
  {
    atMs = startMs + minute,
    origin = "stream" as "stream" | "backfill" | "import",
    liveSinceMs = outage.toMs as number | null,
  } = {},
) {
  const post = makePost({ createdMs: atMs, origin, userId: author });
  archive.write([{ kind: "upsert", post }], { coverage });
  const { records, search, coverage: readCoverage } = archive.reader.operations;
  const source = {
    archive: {
      records: async (positions: Parameters<typeof records>[0]) => records(positions),
      search: async (request: Parameters<typeof search>[0]) => search(request),
    } as Pick<Archive, "records" | "search"> as Archive,
    clock: createManualClock(nowMs),
    coverageSlackMs: 10_000,
    liveSinceMs: () => liveSinceMs,
  };
  const { positions } = archive.query("plain");
  const [position] = positions;
  if (position === undefined) throw new Error("the post is not found");
  return {
    lookupCode: async () => (await staleWarning(source, position))?.code ?? null,
    searchCodes: async () =>
      (await uncheckedWarnings(source, positions, readCoverage())).map(({ code }) => code),
  };
}

test("a post is current if the stream has run without interruption since it was posted", async () => {
  const { lookupCode: stale, searchCodes: searched } = storePost([interval({})]);
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test.each(["stream", "backfill"] as const)(
  "a post from before an outage may have changed if a %s stored it",
  async (origin) => {
    const { lookupCode: stale, searchCodes: searched } = storePost([beforeOutage, afterOutage], {
      origin,
    });
    expect(await stale()).toBe("posts_unchecked");
    expect(await searched()).toEqual(["posts_unchecked"]);
  },
);

test("a post from after an outage is current", async () => {
  const atMs = outage.toMs + minute;
  const { lookupCode: stale, searchCodes: searched } = storePost([beforeOutage, afterOutage], {
    atMs,
  });
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test("an imported post is never reported as possibly changed", async () => {
  const { lookupCode: stale, searchCodes: searched } = storePost([beforeOutage, afterOutage], {
    origin: "import",
  });
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test("a replay of the outage makes a post current, but an import that covers the outage does not", async () => {
  const afterReplay = storePost([beforeOutage, afterOutage, interval(outage)]);
  expect(await afterReplay.lookupCode()).toBeNull();
  expect(await afterReplay.searchCodes()).toEqual([]);
  archive.remove();
  archive = smallArchive();
  const afterImport = storePost([
    beforeOutage,
    afterOutage,
    interval({ ...outage, source: "import" }),
  ]);
  expect(await afterImport.lookupCode()).toBe("posts_unchecked");
  expect(await afterImport.searchCodes()).toEqual(["posts_unchecked"]);
});

test("a backfill makes a post current only if it covers the post's author", async () => {
  const backfill = { source: "backfill", fromMs: 0, toMs: outage.toMs + minute };
  const ownBackfill = storePost([
    beforeOutage,
    afterOutage,
    interval({ ...backfill, account: author }),
  ]);
  expect(await ownBackfill.lookupCode()).toBeNull();
  archive.remove();
  archive = smallArchive();
  const otherIntervals = [
    beforeOutage,
    afterOutage,
    interval({ ...backfill, account: "did:plc:ben" }),
  ];
  expect(await storePost(otherIntervals).lookupCode()).toBe("posts_unchecked");
});

test("no post is current while the stream is disconnected or off, but a search does not warn about it", async () => {
  const { lookupCode: stale, searchCodes: searched } = storePost(
    [interval({ toMs: nowMs - 5_000 })],
    { liveSinceMs: null },
  );
  expect(await stale()).toBe("posts_unchecked");
  expect(await searched()).toEqual([]);
});

test("a stream that has caught up may lag slightly", async () => {
  const { lookupCode: stale } = storePost([interval({ toMs: nowMs - 5_000 })]);
  expect(await stale()).toBeNull();
});
