import { expect, test } from "vitest";
import {
  gapsOfCoverage,
  hourMs,
  platformOf,
  requestedOf,
  streamOf,
} from "../../status.test-support.ts";
import { findingText, methodText, traceLabel } from "./coverage-summary.ts";

test("describes how posts of a platform arrive", () => {
  expect(
    [
      platformOf("bluesky"),
      platformOf("mastodon", { stream: streamOf({ lag_ms: null }) }),
      platformOf("mastodon", { stream: streamOf({ status: "waiting" }) }),
      requestedOf("x"),
      platformOf("x", { way: "archived", stream: null }),
      platformOf("x", { way: "off", stream: null }),
    ].map(methodText),
  ).toEqual(["1.4 s behind", "listening", "not connected", "searched live", "no stream", "off"]);
});

test("summarises the coverage of a platform", () => {
  expect(findingText(platformOf("bluesky"))).toMatch(/^Complete since /);
  const coverage = gapsOfCoverage([5 * hourMs, 3 * hourMs]);
  expect(findingText(platformOf("bluesky", { coverage }))).toBe("1 gap, 2 h");
  expect(findingText(platformOf("mastodon", { coverage: gapsOfCoverage() }))).toBe(
    "No gaps; one server’s view",
  );
  expect(findingText(requestedOf("x"))).toBe("Not archived");
  const never = { ...requestedOf("x"), way: "archived" } as const;
  expect(findingText(never)).toBe("Not archived");
  expect(findingText({ ...never, posts: 3 })).toBe("Some posts, coverage unknown");
});

test("lists at most five gaps in the text alternative", () => {
  const coverage = gapsOfCoverage(
    ...[90, 80, 70, 60, 50, 40, 30].map((at): [number, number] => [at * hourMs, (at - 1) * hourMs]),
  );
  expect(traceLabel(platformOf("bluesky", { coverage }), "7 days")).toMatch(
    /^Bluesky: 7 gaps in 7 days, .*, and 2 more$/,
  );
  expect(traceLabel(requestedOf("x"), "7 days")).toBe("X: nothing archived in 7 days");
});
