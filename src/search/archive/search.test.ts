import { afterEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Archive } from "../../archive/archive.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import { isArchived } from "../../platforms/source.ts";
import { searchArchive } from "./search.ts";

const startMs = Date.UTC(2026, 0, 1);
const endMs = startMs + 86_400_000;
let archive: SmallArchive;
afterEach(() => archive.remove());

function storeOneDay(): void {
  archive = smallArchive();
  const posts = [
    makePost({ key: "1", createdMs: startMs, text: "blue" }),
    makePost({ platform: "x", uri: "import:x:1", createdMs: startMs, text: "black" }),
  ];
  const changes = posts.map((post) => ({ kind: "upsert" as const, post }));
  const day = { fromMs: startMs, toMs: endMs };
  archive.write(changes, {
    coverage: [
      { platform: "bluesky", collection: "posts", account: null, source: "import", ...day },
    ],
  });
}

function send(query: string, platform: SearchPlatform = "social", asOfMs = endMs) {
  const { resolve, search } = archive.reader.operations;
  const source = {
    archive: {
      resolve: async (names) => resolve(names),
      search: async (request) => search(request),
    } as Pick<Archive, "resolve" | "search"> as Archive,
    clock: createManualClock(endMs),
    streamedPlatforms: ["bluesky"],
    coverageSlackMs: 0,
    liveSinceMs: () => 0,
  } as const;
  const request = {
    platform,
    query,
    fromMs: startMs,
    toMs: endMs,
    asOfMs,
    after: null,
    maxResults: 10,
  };
  return searchArchive(source, request, Number.POSITIVE_INFINITY);
}

test("a social search is complete only if all platforms with posts are", async () => {
  storeOneDay();
  const answer = await send("blue OR black");
  expect(answer.items).toHaveLength(2);
  expect(answer).toMatchObject({ complete: false, coverage: { complete: false } });
  expect(answer.sources.map(({ platform }) => platform)).toEqual(["bluesky", "x"]);
  expect(await send("blue", "bluesky")).toMatchObject({ complete: true });
});

test("a platform that the query excludes does not make the answer incomplete", async () => {
  storeOneDay();
  for (const query of [
    "platform:bluesky",
    "-platform:x",
    "(platform:bluesky OR platform:mastodon)",
  ]) {
    const { items, complete, coverage, sources } = await send(query);
    expect(items, query).toHaveLength(1);
    expect(complete, query).toBe(true);
    expect(coverage.gaps, query).toEqual([]);
    expect(sources.map(({ platform }) => platform)).toEqual(["bluesky"]);
  }
  expect((await send("blue OR platform:x")).complete).toBe(false);
});

test("a platform without a source is incomplete, but a search that no platform can match is complete", async () => {
  storeOneDay();
  expect(await send("platform:mastodon")).toMatchObject({ complete: false, items: [] });
  expect(await send("platform:x", "bluesky")).toMatchObject({ complete: true, items: [] });
  expect(await send("platform:x -platform:x")).toMatchObject({ complete: true, items: [] });
  expect(await send("from:nobody")).toMatchObject({ complete: false, items: [] });
});

test("an empty answer is complete if the time is covered, and otherwise has a warning", async () => {
  storeOneDay();
  const coveredAnswer = await send("nosuchword", "bluesky");
  expect(coveredAnswer).toMatchObject({ items: [], complete: true, warnings: [] });
  const uncoveredAnswer = await send("nosuchword", "x");
  expect(uncoveredAnswer).toMatchObject({ items: [], complete: false });
  expect(uncoveredAnswer.coverage.gaps).toEqual([{ fromMs: startMs, toMs: endMs }]);
  expect(uncoveredAnswer.warnings).toMatchObject([
    {
      code: "incomplete_coverage",
      message: expect.stringMatching(/there may be posts despite the empty answer/),
    },
  ]);
});

test("an account's posts are complete after a backfill, by id and by every handle it had", async () => {
  archive = smallArchive();
  const userId = "did:plc:Ann";
  const post = makePost({ key: "1", createdMs: startMs, userId, username: "ann.example" });
  const accountPosts = { platform: "bluesky", collection: "posts", account: userId } as const;
  archive.write(
    [
      { kind: "upsert", post },
      {
        kind: "handle",
        platform: "bluesky",
        userId,
        handle: "ann-renamed.example",
        observedMs: endMs,
      },
    ],
    { coverage: [{ ...accountPosts, source: "backfill", fromMs: 0, toMs: endMs }] },
  );
  for (const query of ["from:did:plc:ann", "from:ann.example", "from:@Ann-Renamed.example plain"]) {
    expect(await send(query), query).toMatchObject({
      complete: true,
      items: [{}],
      warnings: [],
    });
  }
  expect(await send("plain")).toMatchObject({ complete: false, items: [{}] });
  expect(await send("from:bob.example")).toMatchObject({ complete: false, items: [] });
});

test("within_time: counts back from the submission, regardless of when the search runs", async () => {
  const minuteMs = 60_000;
  archive = smallArchive();
  const requestedMs = startMs + 13 * 60 * minuteMs;
  archive.put(
    makePost({ key: "1", createdMs: requestedMs - 90 * minuteMs, text: "just within" }),
    makePost({ key: "2", createdMs: requestedMs - 90 * minuteMs - 1_000, text: "just before" }),
  );
  const { items } = await send("just within_time:90m", "bluesky", requestedMs);
  const found = archive.reader.operations
    .records(items.filter(isArchived))
    .records.map((text) => JSON.parse(text).Content);
  expect(found).toEqual(["just within"]);
});
