import { parseQueryLeniently } from "@earshot/query";
import { describe, expect, it } from "vitest";
import { fixFor } from "./fixes.ts";

function applyFix(query: string): string | null {
  const { diagnostics } = parseQueryLeniently(query);
  const first = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  return first === undefined ? null : (fixFor(query, first, 4096)?.query ?? null);
}

describe("a fix", () => {
  it.each([
    ['"storm surge" OR flooding harbour', '("storm surge" OR flooding) harbour'],
    ["harbour since:2026-02-30 lang:en", "harbour since:2026-02-28 lang:en"],
    ['harbour "storm surge', 'harbour "storm surge"'],
    ["(a OR b", "(a OR b)"],
    ["a) b", "a b"],
    ["lange:en comet", "lang:en comet"],
    ["comet filter:image -filter:retwets", "comet filter:image -filter:retweets"],
    ["🎉 a or b", "🎉 a OR b"],
    ["a and b", "a b"],
    ["AND a", "a"],
    ["comet from: nasa", "comet from:nasa"],
    ["comet –foo", "comet -foo"],
    ["'new york' rain", '"new york" rain'],
    ["from:nasa from:esa", "(from:nasa OR from:esa)"],
    ["lang:en-us", "lang:en"],
    ["comet,nasa.gov", "comet, nasa.gov"],
    ["since:2026-05-01 until:2026-04-01", "since:2026-04-01 until:2026-05-01"],
  ])("a fix is offered for %j", (query, repaired) => {
    expect(applyFix(query)).toBe(repaired);
  });

  it.each(["since:whenever", "from:", "wild* card", "near:paris", "a OR"])(
    "a fix of %j reduces the diagnostics or is not offered",
    (query) => {
      const repaired = applyFix(query);
      if (repaired === null) return;
      const before = parseQueryLeniently(query).diagnostics.length;
      expect(parseQueryLeniently(repaired).diagnostics.length).toBeLessThan(before);
    },
  );

  it("a fix never inserts the prose of a hint", () => {
    expect(applyFix("comet since:whenever")).toBeNull();
    expect(applyFix("wild* card")).toBeNull();
    expect(applyFix("platform:threads")).toBeNull();
    expect(applyFix("from:nasa moon from:esa")).toBeNull();
  });
});
