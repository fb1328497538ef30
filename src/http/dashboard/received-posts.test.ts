import fc from "fast-check";
import { expect, test } from "vitest";
import type { CountAnswer, CountRequest } from "../../archive/archive.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { countReceivedPosts, countsByPart, receivedUnitMs } from "./received-posts.ts";

const fromMs = 1_700_000_100_000;
const unitCount = 288;
const toMs = fromMs + unitCount * receivedUnitMs;
const work = {
  segmentsInWindow: 1,
  segmentsCached: 0,
  segmentsOpened: 1,
  slices: 1,
  statements: 1,
};

/** `msPerUnit`: how long it takes to count one unit. */
function slowArchive(msPerUnit: number) {
  const clock = createManualClock();
  const requests: CountRequest[] = [];
  const count = async (request: CountRequest): Promise<CountAnswer> => {
    requests.push(request);
    const reach = Math.floor((request.deadlineMs - clock.now()) / msPerUnit);
    const countedFromMs = Math.max(request.fromMs, request.toMs - reach * receivedUnitMs);
    const buckets = [];
    for (let ms = countedFromMs; ms < request.toMs; ms += receivedUnitMs) {
      buckets.push({ fromMs: ms, count: 1 });
    }
    return { buckets, countedFromMs, work, coverage: [], damage: [] };
  };
  return { source: { archive: { count }, clock }, requests };
}

const neverAborted = new AbortController().signal;

test("a slow count of posts is split into slices that count nothing twice", async () => {
  const { source, requests } = slowArchive(10);
  const receivedPosts = await countReceivedPosts(
    source,
    { platforms: ["bluesky"], fromMs, toMs },
    neverAborted,
  );
  expect(receivedPosts.get("bluesky")?.size).toBe(unitCount);
  expect(requests).toHaveLength(Math.ceil(unitCount / 25));
  for (const { deadlineMs } of requests) expect(deadlineMs - source.clock.now()).toBe(250);
  for (const [index, { toMs: end }] of requests.entries()) {
    expect(end).toBe(toMs - index * 25 * receivedUnitMs);
  }
});

test("if a unit takes longer than a slice, the next slice is longer", async () => {
  const { source, requests } = slowArchive(900);
  const shortRequest = {
    platforms: ["bluesky"] as const,
    fromMs,
    toMs: fromMs + 2 * receivedUnitMs,
  };
  const receivedPosts = await countReceivedPosts(source, shortRequest, neverAborted);
  expect(receivedPosts.get("bluesky")?.size).toBe(2);
  const timeouts = requests.map(({ deadlineMs }) => deadlineMs - source.clock.now());
  expect(timeouts).toEqual([250, 500, 1_000, 250, 500, 1_000]);
});

test("a count of posts stops when it is aborted", async () => {
  const { source, requests } = slowArchive(10_000);
  const stopController = new AbortController();
  const pendingCount = countReceivedPosts(
    source,
    { platforms: ["bluesky"], fromMs, toMs },
    stopController.signal,
  );
  stopController.abort();
  await expect(pendingCount).rejects.toThrow();
  expect(requests.length).toBeLessThan(3);
});

test("adjacent parts count every post in their time range once", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.integer({ min: -5, max: 300 }).map(String), fc.nat(1_000)),
      fc.constantFrom(1, 2, 4, 12, 144),
      (counted, unitsPerPart) => {
        const counts = new Map(
          Object.entries(counted).map(([unit, posts]) => [
            fromMs + Number(unit) * receivedUnitMs,
            posts,
          ]),
        );
        const parts = unitCount / unitsPerPart;
        const sums = countsByPart(counts, { fromMs, partMs: unitsPerPart * receivedUnitMs, parts });
        expect(sums).toHaveLength(parts);
        const postsInRange = [...counts].filter(([ms]) => ms >= fromMs && ms < toMs);
        expect(sums.reduce((a, b) => a + b, 0)).toBe(
          postsInRange.reduce((sum, [, posts]) => sum + posts, 0),
        );
      },
    ),
  );
});
