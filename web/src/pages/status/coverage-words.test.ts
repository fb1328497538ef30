import { expect, test } from "vitest";
import {
  askedOf,
  gapsOfCoverage,
  hourMs,
  platformOf,
  streamOf,
} from "../../status.test-support.ts";
import { findingText, traceLabel, wayText } from "./coverage-words.ts";

test("how a platform comes here is told in a word or two", () => {
  expect(
    [
      platformOf("bluesky"),
      platformOf("mastodon", { stream: streamOf({ lag_ms: null }) }),
      platformOf("mastodon", { stream: streamOf({ status: "waiting" }) }),
      askedOf("x"),
      platformOf("x", { way: "held", stream: null }),
      platformOf("x", { way: "off", stream: null }),
    ].map(wayText),
  ).toEqual([
    "1.4 s behind",
    "listening",
    "not connected",
    "asked live",
    "nothing feeds it",
    "off",
  ]);
});

test("what was found is told in a few words", () => {
  expect(findingText(platformOf("bluesky"))).toMatch(/^Complete since /);
  const coverage = gapsOfCoverage([5 * hourMs, 3 * hourMs]);
  expect(findingText(platformOf("bluesky", { coverage }))).toBe("1 gap, 2 h");
  expect(findingText(platformOf("mastodon", { coverage: gapsOfCoverage() }))).toBe(
    "No gap; one server’s view",
  );
  expect(findingText(askedOf("x"))).toBe("Not archived, never complete");
  const never = { ...askedOf("x"), way: "held" } as const;
  expect(findingText(never)).toBe("No part of this window is held whole");
  expect(findingText({ ...never, posts: 3 })).toBe("Posts held, none of this time whole");
});

test("who does not see the drawing is told of each gap, but not of hundreds", () => {
  const coverage = gapsOfCoverage(
    ...[90, 80, 70, 60, 50, 40, 30].map((at): [number, number] => [at * hourMs, (at - 1) * hourMs]),
  );
  expect(traceLabel(platformOf("bluesky", { coverage }), "7 days")).toMatch(
    /^Bluesky: 7 gaps in 7 days, .*, and 2 more$/,
  );
  expect(traceLabel(askedOf("x"), "7 days")).toBe("X: nothing held in 7 days");
});
