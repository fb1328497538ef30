import { expect, test } from "vitest";
import {
  gapsOfCoverage,
  hourMs,
  livePlatformOf,
  platformOf,
  streamOf,
} from "../../status.test-support.ts";
import { methodText, platformCoverageText } from "./coverage-summary.ts";

test("the coverage summary describes how posts of a platform arrive", () => {
  expect(
    [
      platformOf("bluesky"),
      platformOf("mastodon", { stream: streamOf({ lag_ms: null }) }),
      platformOf("mastodon", { stream: streamOf({ status: "waiting" }) }),
      livePlatformOf("x"),
      platformOf("x", { mode: "archived", stream: null }),
      platformOf("x", { mode: "off", stream: null }),
    ].map(methodText),
  ).toEqual(["1.4 s behind", "listening", "not connected", "searched live", "no stream", "off"]);
});

test("the coverage of a platform is summarised", () => {
  expect(platformCoverageText(platformOf("bluesky"))).toMatch(/^Complete since /);
  const coverage = gapsOfCoverage([5 * hourMs, 3 * hourMs]);
  expect(platformCoverageText(platformOf("bluesky", { coverage }))).toBe("1 gap, 2 h");
  expect(platformCoverageText(platformOf("mastodon", { coverage: gapsOfCoverage() }))).toBe(
    "No gaps; one server’s view",
  );
  expect(platformCoverageText(livePlatformOf("x"))).toBe("Not archived");
  const never = { ...livePlatformOf("x"), mode: "archived" } as const;
  expect(platformCoverageText(never)).toBe("Not archived");
  expect(platformCoverageText({ ...never, posts: 3 })).toBe("Some posts, coverage unknown");
});
