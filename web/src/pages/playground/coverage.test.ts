import type { Platform } from "@earshot/query/tree";
import { describe, expect, it } from "vitest";
import type { Source } from "../../coverage-text.ts";
import type { CollectionCoverage, Coverage } from "./answer.ts";
import { completeSentence, coverageLines, incompleteSentence, livePlatforms } from "./coverage.ts";

const from = "2026-11-14T12:00:00.000Z";
const to = "2026-11-21T12:00:00.000Z";
const nowMs = Date.parse(to) + 1_000;

const posts = (overrides: Partial<CollectionCoverage>): CollectionCoverage => ({
  platform: "bluesky",
  collection: "posts",
  complete: false,
  held: [{ from, to }],
  gaps: [],
  ...overrides,
});
const makeCoverage = (...platforms: readonly CollectionCoverage[]): Coverage => ({
  from,
  to,
  complete: platforms.every(({ complete }) => complete),
  gaps: platforms.flatMap(({ gaps }) => gaps),
  platforms,
});
const gap = { from: "2026-11-18T03:10:00.000Z", to: "2026-11-18T03:47:00.000Z" };

const source = (platform: Platform, via: Source["via"], count = 1): Source => ({
  platform,
  via,
  count,
});

describe("a platform's coverage", () => {
  it("a platform's coverage is complete up to now, or has gaps of a given length", () => {
    const [bluesky, mastodon] = coverageLines(
      makeCoverage(posts({ complete: true }), posts({ platform: "mastodon", gaps: [gap] })),
      [],
      nowMs,
    );
    expect(bluesky).toMatchObject({
      state: "complete",
      text: expect.stringMatching(/^Complete from .* to now$/),
    });
    expect(mastodon).toMatchObject({ state: "incomplete", text: "1 gap, 37 min" });
  });

  it("a platform's coverage is archived since a time, or not at all", () => {
    const since = "2026-11-20T12:00:00.000Z";
    const recentPosts = posts({ held: [{ from: since, to }], gaps: [{ from, to: since }] });
    expect(coverageLines(makeCoverage(recentPosts), [], nowMs)[0]?.text).toMatch(
      /^Archived since /,
    );
    const noPosts = posts({ held: [], gaps: [{ from, to }] });
    expect(coverageLines(makeCoverage(noPosts), [], nowMs)[0]?.text).toBe("Coverage unknown");
    const sources = [source("bluesky", "archive", 3)];
    expect(coverageLines(makeCoverage(noPosts), sources, nowMs)[0]?.text).toBe(
      "Some posts, coverage unknown",
    );
  });

  it("a platform's coverage states whether it was answered live, wholly or in part", () => {
    const gapBefore = posts({ platform: "x", held: [gap], gaps: [{ from, to: gap.from }] });
    const getText = (covered: CollectionCoverage, ...sources: readonly Source[]) =>
      coverageLines(makeCoverage(covered), sources, nowMs)[0]?.text;
    const liveSource = source("x", "api");
    expect(getText(gapBefore, source("x", "archive", 0), liveSource)).toBe(
      "Answered live, may be incomplete",
    );
    expect(getText({ ...gapBefore, complete: true }, liveSource)).toBe("Complete, answered live");
    expect(getText({ ...gapBefore, complete: true }, source("x", "archive", 2), liveSource)).toBe(
      "Complete, partly answered live",
    );
  });

  it("a platform's coverage reports incomplete like counts, and live platforms without coverage", () => {
    const likes = posts({ collection: "likes", gaps: [{ from, to }] });
    const lines = coverageLines(
      makeCoverage(posts({ complete: true }), likes),
      [source("bluesky", "archive"), source("x", "credential")],
      nowMs,
    );
    expect(lines).toMatchObject([
      { platform: "bluesky", shortfalls: ["Like counts may be too low"] },
      { platform: "x", state: "live" },
    ]);
  });
});

it("the platforms omitted from archive counts are listed", () => {
  const sources = [source("bluesky", "archive"), source("x", "api"), source("x", "archive")];
  expect(livePlatforms(sources)).toEqual(["x"]);
});

describe("an empty answer", () => {
  it("an empty answer means no match if coverage is complete", () => {
    const completeCoverage = makeCoverage(
      posts({ complete: true }),
      posts({ platform: "mastodon", complete: true }),
    );
    expect(completeSentence(completeCoverage, nowMs)).toMatch(
      /^Bluesky and Mastodon are complete from .* to now: no post matches\.$/,
    );
  });

  it("an empty answer is inconclusive if there is a gap or no source", () => {
    const coverage = makeCoverage(
      posts({ complete: true }),
      posts({ platform: "mastodon", gaps: [gap] }),
    );
    expect(incompleteSentence(coverage, [], nowMs)).toBe(
      "Mastodon: 1 gap, 37 min. Missing posts are not in this answer.",
    );
    const uncovered = makeCoverage(posts({ held: [], gaps: [{ from, to }] }));
    expect(incompleteSentence(uncovered, [], nowMs)).toBe(
      "Bluesky: coverage unknown. Missing posts are not in this answer.",
    );
    expect(incompleteSentence(makeCoverage(), [], nowMs)).toMatch(/has no sources yet/);
  });
});
