import fc from "fast-check";
import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createLimits } from "./limits.ts";
import { plausibleLimit } from "./outcome.ts";

type Platform = {
  limit: number;
  windowMs: number;
  reportsSeconds: boolean;
  travelMs: number[];
  startMs: number[];
};

async function simulate({ limit, windowMs, reportsSeconds, travelMs, startMs }: Platform) {
  const clock = createManualClock();
  const limits = createLimits({
    clock,
    random: () => 0.5,
    pauses: { minMs: 1_000, maxMs: 60_000 },
  });
  const signal = new AbortController().signal;
  let [usedCount, resetMs, refusedCount, answeredCount, travelCount] = [0, 0, 0, 0, 0];
  let endMs = 0;

  async function travel(): Promise<void> {
    travelCount += 1;
    await clock.sleep(travelMs[travelCount % travelMs.length] ?? 0);
  }

  async function job(atMs: number): Promise<void> {
    await clock.sleep(atMs);
    for (;;) {
      const deadlineMs = Number.MAX_SAFE_INTEGER;
      const position = { owner: "c1", bucket: "posts", host: "api.example", intervalMs: 0 };
      const permit = await limits.take({
        ...position,
        patience: "patient",
        deadlineMs,
        intervalDeadlineMs: deadlineMs,
        signal,
      });
      await travel();
      if (clock.now() >= resetMs) [usedCount, resetMs] = [0, clock.now() + windowMs];
      usedCount += 1;
      const reportedLimit = {
        remaining: Math.max(0, limit - usedCount),
        resetMs: reportsSeconds ? Math.floor(resetMs / 1_000) * 1_000 : resetMs,
      };
      const isRefused = usedCount > limit;
      await travel();
      if (!isRefused) {
        permit.endWithAnswer(plausibleLimit(reportedLimit, clock.now()));
        answeredCount += 1;
        endMs = clock.elapsed();
        return;
      }
      refusedCount += 1;
      permit.endRefused(null);
    }
  }

  const jobs = startMs.map(job);
  const windows = Math.ceil(startMs.length / limit) + 1;
  const slowestMs = 2 * Math.max(...travelMs);
  const inSequenceMs = slowestMs > windowMs ? startMs.length * slowestMs : 0;
  const enoughMs =
    Math.max(...startMs) + windows * (windowMs + 1_000 + 3 * slowestMs) + inSequenceMs;
  await clock.advance(enoughMs);
  if (answeredCount === startMs.length) await Promise.all(jobs);
  return { refused: refusedCount, answered: answeredCount, endMs };
}

const platforms = fc.record({
  limit: fc.integer({ min: 1, max: 30 }),
  windowMs: fc.integer({ min: 2_000, max: 30_000 }),
  reportsSeconds: fc.boolean(),
  travelMs: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 20 }),
  startMs: fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 }),
});

/** Requests are sent one at a time, because each answer reports an ended window. */
test("a platform whose windows can end before an answer arrives never refuses a request, and answers all", async () => {
  const shortWindows = platforms.chain((platform) =>
    fc
      .record({
        windowMs: fc.integer({ min: 50, max: 900 }),
        startMs: fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 60 }),
      })
      .map((short) => ({ ...platform, ...short })),
  );
  await fc.assert(
    fc.asyncProperty(shortWindows, async (platform) => {
      const { refused, answered } = await simulate(platform);
      expect({ refused, answered }).toEqual({ refused: 0, answered: platform.startMs.length });
    }),
    { numRuns: 100 },
  );
});

test("a platform with accurate headers never refuses a request, in any order of answers, and none waits too long", async () => {
  await fc.assert(
    fc.asyncProperty(platforms, async (platform) => {
      const { refused, answered } = await simulate(platform);
      expect({ refused, answered }).toEqual({ refused: 0, answered: platform.startMs.length });
    }),
    { numRuns: 100 },
  );
});
