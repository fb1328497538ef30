import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Collection, CoverageInterval, PlatformCoverage } from "../../archive/archive.ts";
import { type CoverageOptions, drawCoverage, showsUnicode } from "./draw-coverage.ts";
import { timelineCells } from "./draw-timelines.ts";
import { lengthText } from "./span-text.ts";
import { displayWidth } from "./text-layout.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const at = (text: string) => Date.parse(`${text}:00Z`);

/** Default: an interval of the live stream since the first of the month. */
const interval = (overrides: Partial<CoverageInterval>): CoverageInterval => ({
  platform: "bluesky",
  collection: "posts",
  account: null,
  source: "jetstream",
  fromMs: at("2026-11-01T12:00"),
  toMs: nowMs - 3_000,
  ...overrides,
});

const outages = (collection: Collection): CoverageInterval[] => [
  interval({ collection, toMs: at("2026-11-10T12:00") }),
  interval({ collection, fromMs: at("2026-11-12T01:00"), toMs: at("2026-11-20T03:10") }),
  interval({ collection, fromMs: at("2026-11-20T04:25") }),
];

const importedInterval = interval({
  platform: "x",
  source: "import",
  toMs: at("2026-11-05T12:00"),
});

function draw(
  intervals: readonly CoverageInterval[],
  look: Partial<CoverageOptions> = {},
): string[] {
  const coverage: PlatformCoverage[] = (["bluesky", "x"] as const)
    .map((platform) => ({
      platform,
      intervals: intervals.filter((other) => other.platform === platform),
      hasPosts: true,
    }))
    .filter((each) => each.intervals.length > 0);
  return drawCoverage(coverage, { width: 80, nowMs, slackMs: 10_000, unicode: true, ...look });
}

describe("the coverage drawing", () => {
  test("the coverage drawing has a timeline per platform and collection, a scale, and each gap once, newest first", () => {
    const intervals = [...outages("posts"), ...outages("likes"), importedInterval];
    expect(draw(intervals)).toEqual([
      "bluesky posts  █████████████████████████████▒····▒█████████████████████████▒████",
      "bluesky likes  █████████████████████████████▒····▒█████████████████████████▒████",
      "x posts        █████████████····················································",
      "               |2026-11-01                   |2026-11-11             2026-11-21|",
      "█ covered  ▒ partly  · not covered  (times are UTC)",
      "gap 2026-11-20 03:10 – 04:25 (1 h 15 min): bluesky posts, bluesky likes",
      "gap 2026-11-10 12:00 – 2026-11-12 01:00 (37 h): bluesky posts, bluesky likes",
    ]);
  });

  test("the coverage drawing uses ASCII on a terminal without Unicode, and starts at the requested time", () => {
    const fromMs = at("2026-11-20T00:00");
    const drawnLines = draw([...outages("posts"), importedInterval], {
      unicode: false,
      width: 51,
      fromMs,
    });
    expect(drawnLines).toEqual([
      "bluesky posts  ###++###############################",
      "x posts        ....................................",
      "               |11-20 00:00            11-21 12:00|",
      "# covered  + partly  . not covered  (times are UTC)",
      "gap 2026-11-20 03:10 - 04:25 (1 h 15 min): bluesky",
      "posts",
    ]);
  });

  test("the coverage drawing puts the names above the timelines if there is no room next to them", () => {
    const drawnLines = draw([...outages("posts"), importedInterval], { width: 30, listedGaps: 1 });
    expect(drawnLines.slice(0, 5)).toEqual([
      "bluesky posts",
      "█████████████▒·▒███████████▒▒█",
      "x posts",
      "██████························",
      "|2026-11-01        2026-11-21|",
    ]);
    expect(drawnLines.at(-1)).toBe("and 1 earlier gap");
  });

  test("the coverage drawing reports that a gap is still open, but not that an import ended", () => {
    const stoppedInterval = interval({ toMs: nowMs - 75 * 60_000 });
    expect(
      draw([stoppedInterval, importedInterval]).filter((line) => line.startsWith("gap")),
    ).toEqual(["gap 2026-11-21 10:45 – now (1 h 15 min): bluesky posts"]);
  });

  test("the coverage drawing counts individually fetched accounts without drawing them", () => {
    const accountInterval = (account: string) =>
      interval({ account, source: "backfill", fromMs: 0 });
    const stream = interval({ fromMs: nowMs - 60_000 });
    expect(draw([stream, accountInterval("did:plc:ann")]).at(-1)).toBe(
      "bluesky: also posts fetched from account did:plc:ann",
    );
    expect(draw([accountInterval("did:plc:ann"), accountInterval("did:plc:bob")])).toEqual([
      "no time is fully covered",
      "bluesky: also posts fetched from 2 accounts",
    ]);
  });

  test("the coverage drawing reports that an archive is empty", () => {
    expect(draw([])).toEqual(["no time is fully covered"]);
  });
});

const someInterval = fc.record({
  platform: fc.constantFrom("bluesky" as const, "x" as const),
  collection: fc.constantFrom<Collection>("posts", "likes", "labels"),
  source: fc.constantFrom("jetstream", "import"),
  account: fc.constantFrom(null, null, "did:plc:ewvi7nxzyoun6zhxrhs64oiz"),
  fromMs: fc.integer({ min: 0, max: nowMs }),
  toMs: fc.integer({ min: 1, max: nowMs }),
});

test("no line of the coverage drawing is wider than the terminal, regardless of the coverage", () => {
  fc.assert(
    fc.property(
      fc.array(someInterval, { maxLength: 12 }),
      fc.integer({ min: 8, max: 160 }),
      fc.boolean(),
      fc.option(fc.integer({ min: 0, max: nowMs }), { nil: undefined }),
      (intervals, width, unicode, fromMs) => {
        const validIntervals = intervals.filter((other) => other.fromMs < other.toMs);
        const from = fromMs === undefined ? {} : { fromMs };
        for (const line of draw(validIntervals, { width, unicode, ...from })) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
          if (!unicode) expect(line).toMatch(/^[\u0000-\u007f]*$/);
        }
      },
    ),
  );
});

test("a cell drawn as covered is covered completely, and one drawn as not covered is not covered at all", () => {
  const bound = fc.integer({ min: -5, max: 65 });
  fc.assert(
    fc.property(
      fc.uniqueArray(bound, { maxLength: 10 }),
      fc.integer({ min: 1, max: 60 }),
      (bounds, count) => {
        const sortedBounds = bounds.sort((a, b) => a - b);
        const spans = sortedBounds.flatMap((fromMs, index) => {
          const toMs = sortedBounds[index + 1];
          return index % 2 === 1 || toMs === undefined ? [] : [{ fromMs, toMs }];
        });
        const isCovered = (ms: number) => spans.some((span) => span.fromMs <= ms && ms < span.toMs);
        const cells = timelineCells(spans, { fromMs: 0, toMs: 60 }, count);
        expect(cells).toHaveLength(count);
        for (const [index, cell] of cells.entries()) {
          const start = Math.floor((60 * index) / count);
          const end = Math.floor((60 * (index + 1)) / count);
          const moments = Array.from({ length: end - start }, (_, offset) =>
            isCovered(start + offset),
          );
          const isPartlyCovered = moments.includes(true);
          expect(cell).toBe(
            isPartlyCovered ? (moments.includes(false) ? "partly" : "covered") : "none",
          );
        }
      },
    ),
  );
});

test("durations are shown in at most two units", () => {
  const texts = [12_000, 75_000, 900_000, 4_500_000, 37 * 3_600_000, 50 * 3_600_000];
  expect(texts.map(lengthText)).toEqual([
    "12 s",
    "1 min 15 s",
    "15 min",
    "1 h 15 min",
    "37 h",
    "2 d 2 h",
  ]);
});

test("Unicode is used unless the terminal's locale or type excludes it", () => {
  const shows = (environment: Record<string, string>) => showsUnicode({ environment });
  expect(shows({})).toBe(true);
  expect(shows({ LANG: "de_DE.UTF-8", TERM: "xterm-256color" })).toBe(true);
  expect(shows({ LANG: "C" })).toBe(false);
  expect(shows({ LC_ALL: "POSIX", LANG: "de_DE.UTF-8" })).toBe(false);
  expect(shows({ LANG: "C.utf8", TERM: "linux" })).toBe(false);
  expect(shows({ TERM: "dumb" })).toBe(false);
});
