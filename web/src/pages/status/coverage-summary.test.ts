import { expect, test } from "vitest";
import {
  coverageGaps,
  hourMs,
  makeLivePlatform,
  makePlatform,
  makeStream,
} from "../../status.test-support.ts";
import { platformCoverageText, streamStatusText } from "./coverage-summary.ts";

test("the coverage summary describes how a platform's posts arrive", () => {
  expect(
    [
      makePlatform("bluesky"),
      makePlatform("mastodon", { stream: makeStream({ lag_ms: null }) }),
      makePlatform("mastodon", { stream: makeStream({ status: "waiting" }) }),
      makeLivePlatform("x"),
      makePlatform("x", { mode: "archived", stream: null }),
      makePlatform("x", { mode: "off", stream: null }),
    ].map(streamStatusText),
  ).toEqual(["1.4 s behind", "listening", "not connected", "searched live", "no stream", "off"]);
});

test("the coverage of a platform is summarised", () => {
  expect(platformCoverageText(makePlatform("bluesky"))).toMatch(/^Complete since /);
  const coverage = coverageGaps([5 * hourMs, 3 * hourMs]);
  expect(platformCoverageText(makePlatform("bluesky", { coverage }))).toBe("1 gap, 2 h");
  expect(platformCoverageText(makePlatform("mastodon", { coverage: coverageGaps() }))).toBe(
    "No gaps; one server’s view",
  );
  expect(platformCoverageText(makeLivePlatform("x"))).toBe("Not archived");
  const neverStreamed = { ...makeLivePlatform("x"), mode: "archived" } as const;
  expect(platformCoverageText(neverStreamed)).toBe("Not archived");
  expect(platformCoverageText({ ...neverStreamed, posts: 3 })).toBe("Some posts, coverage unknown");
});
