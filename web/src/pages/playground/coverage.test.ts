import { describe, expect, it } from "vitest";
import type { CollectionCoverage, Coverage } from "./answer.ts";
import { completeSentence, coverageLines, incompleteSentence } from "./coverage.ts";

const from = "2026-11-14T12:00:00.000Z";
const to = "2026-11-21T12:00:00.000Z";
const nowMs = Date.parse(to) + 1_000;

const posts = (more: Partial<CollectionCoverage>): CollectionCoverage => ({
  platform: "bluesky",
  collection: "posts",
  complete: false,
  held: [{ from, to }],
  gaps: [],
  ...more,
});
const answer = (...platforms: readonly CollectionCoverage[]): Coverage => ({
  from,
  to,
  complete: platforms.every(({ complete }) => complete),
  gaps: platforms.flatMap(({ gaps }) => gaps),
  platforms,
});
const hole = { from: "2026-11-18T03:10:00.000Z", to: "2026-11-18T03:47:00.000Z" };

describe("the coverage of a platform", () => {
  it("is complete up to now, or has a gap of a given length", () => {
    const [bluesky, mastodon] = coverageLines(
      answer(posts({ complete: true }), posts({ platform: "mastodon", gaps: [hole] })),
      [],
      nowMs,
    );
    expect(bluesky).toMatchObject({
      state: "complete",
      text: expect.stringMatching(/^Complete, .* to now$/),
    });
    expect(mastodon).toMatchObject({
      state: "gaps",
      text: expect.stringMatching(/^37 min missing, /),
    });
  });

  it("is archived since a time, or not at all", () => {
    const since = "2026-11-20T12:00:00.000Z";
    const late = posts({ held: [{ from: since, to }], gaps: [{ from, to: since }] });
    expect(coverageLines(answer(late), [], nowMs)[0]?.text).toMatch(/^Archived since /);
    const none = posts({ held: [], gaps: [{ from, to }] });
    expect(coverageLines(answer(none), [], nowMs)[0]).toMatchObject({ state: "nothing" });
  });

  it("is unknown when posts are archived but no span is complete", () => {
    const none = answer(posts({ held: [], gaps: [{ from, to }] }));
    const found = (origin: string) => ({
      ...{ ID: "1", Content: "", Score: 1 },
      Metadata: { platform: "bluesky", origin } as const,
    });
    const textOf = (origin: string) => coverageLines(none, [found(origin)], nowMs)[0]?.text;
    expect(textOf("stream")).toBe("Some posts, coverage unknown");
    expect(textOf("upstream")).toBe("No complete coverage in this window");
  });

  it("reports incomplete like counts and platforms searched live", () => {
    const likes = posts({ collection: "likes", gaps: [{ from, to }] });
    const x = {
      ID: "1",
      Content: "",
      Score: 1,
      Metadata: { platform: "x", origin: "upstream" },
    } as const;
    const lines = coverageLines(answer(posts({ complete: true }), likes), [x], nowMs);
    expect(lines).toMatchObject([
      { platform: "bluesky", remarks: ["Like counts may be too low"] },
      { platform: "x", state: "live" },
    ]);
  });
});

describe("an empty answer", () => {
  it("means no match when coverage is complete", () => {
    const both = answer(posts({ complete: true }), posts({ platform: "mastodon", complete: true }));
    expect(completeSentence(both, nowMs)).toMatch(
      /^Bluesky and Mastodon are complete from .* to now: no post matches\.$/,
    );
  });

  it("is inconclusive when there is a gap or no source", () => {
    const gaps = answer(posts({ complete: true }), posts({ platform: "mastodon", gaps: [hole] }));
    expect(incompleteSentence(gaps, nowMs)).toMatch(
      /^Mastodon: 37 min missing, .* are not in this answer\.$/,
    );
    const none = answer(posts({ held: [], gaps: [{ from, to }] }));
    expect(incompleteSentence(none, nowMs)).toBe(
      "Bluesky: no complete coverage in this window. Posts from the gaps are not in this answer.",
    );
    expect(incompleteSentence(answer(), nowMs)).toMatch(/has no sources yet/);
  });
});
