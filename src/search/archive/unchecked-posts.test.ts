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
    stale: async () => (await staleWarning(source, position))?.code ?? null,
    searched: async () =>
      (await uncheckedWarnings(source, positions, readCoverage())).map(({ code }) => code),
  };
}

test("a post that the stream has followed up to now is current", async () => {
  const { stale, searched } = storePost([interval({})]);
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test.each(["stream", "backfill"] as const)(
  "a post from before an outage may have changed if a %s stored it",
  async (origin) => {
    const { stale, searched } = storePost([beforeOutage, afterOutage], { origin });
    expect(await stale()).toBe("posts_unchecked");
    expect(await searched()).toEqual(["posts_unchecked"]);
  },
);

test("a post from after an outage is current", async () => {
  const atMs = outage.toMs + minute;
  const { stale, searched } = storePost([beforeOutage, afterOutage], { atMs });
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test("an imported post is assumed to be as its file declares", async () => {
  const { stale, searched } = storePost([beforeOutage, afterOutage], { origin: "import" });
  expect(await stale()).toBeNull();
  expect(await searched()).toEqual([]);
});

test("a replay of the outage makes a post current, but an import that covers its time does not", async () => {
  const afterReplay = storePost([beforeOutage, afterOutage, interval(outage)]);
  expect(await afterReplay.stale()).toBeNull();
  expect(await afterReplay.searched()).toEqual([]);
  archive.remove();
  archive = smallArchive();
  const afterImport = storePost([
    beforeOutage,
    afterOutage,
    interval({ ...outage, source: "import" }),
  ]);
  expect(await afterImport.stale()).toBe("posts_unchecked");
  expect(await afterImport.searched()).toEqual(["posts_unchecked"]);
});

test("only a backfill of the author makes a post current", async () => {
  const backfill = { source: "backfill", fromMs: 0, toMs: outage.toMs + minute };
  const ownBackfill = storePost([
    beforeOutage,
    afterOutage,
    interval({ ...backfill, account: author }),
  ]);
  expect(await ownBackfill.stale()).toBeNull();
  archive.remove();
  archive = smallArchive();
  const otherIntervals = [
    beforeOutage,
    afterOutage,
    interval({ ...backfill, account: "did:plc:ben" }),
  ];
  expect(await storePost(otherIntervals).stale()).toBe("posts_unchecked");
});

test("no post is current while the stream is disconnected or off", async () => {
  const { stale, searched } = storePost([interval({ toMs: nowMs - 5_000 })], { liveSinceMs: null });
  expect(await stale()).toBe("posts_unchecked");
  expect(await searched()).toEqual([]);
});

test("a stream that has caught up may lag slightly", async () => {
  const { stale } = storePost([interval({ toMs: nowMs - 5_000 })]);
  expect(await stale()).toBeNull();
});
