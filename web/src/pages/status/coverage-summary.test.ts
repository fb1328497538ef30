import { expect, test } from "vitest";
import {
  gapsOfCoverage,
  hourMs,
  platformOf,
  requestedOf,
  streamOf,
} from "../../status.test-support.ts";
import { findingText, methodText } from "./coverage-summary.ts";

test("the coverage summary describes how posts of a platform arrive", () => {
  expect(
    [
      platformOf("bluesky"),
      platformOf("mastodon", { stream: streamOf({ lag_ms: null }) }),
      platformOf("mastodon", { stream: streamOf({ status: "waiting" }) }),
      requestedOf("x"),
      platformOf("x", { mode: "archived", stream: null }),
      platformOf("x", { mode: "off", stream: null }),
    ].map(methodText),
  ).toEqual(["1.4 s behind", "listening", "not connected", "searched live", "no stream", "off"]);
});

test("the coverage of a platform is summarised", () => {
  expect(findingText(platformOf("bluesky"))).toMatch(/^Complete since /);
  const coverage = gapsOfCoverage([5 * hourMs, 3 * hourMs]);
  expect(findingText(platformOf("bluesky", { coverage }))).toBe("1 gap, 2 h");
  expect(findingText(platformOf("mastodon", { coverage: gapsOfCoverage() }))).toBe(
    "No gaps; one server’s view",
  );
  expect(findingText(requestedOf("x"))).toBe("Not archived");
  const never = { ...requestedOf("x"), mode: "archived" } as const;
  expect(findingText(never)).toBe("Not archived");
  expect(findingText({ ...never, posts: 3 })).toBe("Some posts, coverage unknown");
});
