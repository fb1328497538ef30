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

describe("what is known of a platform", () => {
  it("is complete to now, or has a gap of so many minutes", () => {
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

  it("is held since a moment, or not at all", () => {
    const since = "2026-11-20T12:00:00.000Z";
    const late = posts({ held: [{ from: since, to }], gaps: [{ from, to: since }] });
    expect(coverageLines(answer(late), [], nowMs)[0]?.text).toMatch(/^Held since /);
    const none = posts({ held: [], gaps: [{ from, to }] });
    expect(coverageLines(answer(none), [], nowMs)[0]).toMatchObject({ state: "nothing" });
  });

  it("is held in part where posts are found and no stretch of the window is whole", () => {
    const none = answer(posts({ held: [], gaps: [{ from, to }] }));
    const found = (origin: string) => ({
      ...{ ID: "1", Content: "", Score: 1 },
      Metadata: { platform: "bluesky", origin } as const,
    });
    const textOf = (origin: string) => coverageLines(none, [found(origin)], nowMs)[0]?.text;
    expect(textOf("stream")).toBe("Posts held, none of this time whole");
    expect(textOf("upstream")).toBe("No part of this window is held whole");
  });

  it("names the likes that were not seen, and a platform that was asked live", () => {
    const likes = posts({ collection: "likes", gaps: [{ from, to }] });
    const x = {
      ID: "1",
      Content: "",
      Score: 1,
      Metadata: { platform: "x", origin: "upstream" },
    } as const;
    const lines = coverageLines(answer(posts({ complete: true }), likes), [x], nowMs);
    expect(lines).toMatchObject([
      { platform: "bluesky", remarks: ["Not all likes were seen"] },
      { platform: "x", state: "live" },
    ]);
  });
});

describe("an empty answer", () => {
  it("is a no where everything is held", () => {
    const both = answer(posts({ complete: true }), posts({ platform: "mastodon", complete: true }));
    expect(completeSentence(both, nowMs)).toMatch(
      /^Bluesky and Mastodon are complete from .* to now, so there is none\.$/,
    );
  });

  it("is no no where there is a hole, or nothing listens", () => {
    const gaps = answer(posts({ complete: true }), posts({ platform: "mastodon", gaps: [hole] }));
    expect(incompleteSentence(gaps, nowMs)).toMatch(
      /^Mastodon: 37 min missing, .* cannot be found here\.$/,
    );
    const none = answer(posts({ held: [], gaps: [{ from, to }] }));
    expect(incompleteSentence(none, nowMs)).toBe(
      "Bluesky: no part of this window is held whole. What is missing cannot be found here.",
    );
    expect(incompleteSentence(answer(), nowMs)).toMatch(/says nothing/);
  });
});
