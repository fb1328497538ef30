import { parseQuery } from "@earshot/query";
import { describe, expect, it } from "vitest";
import { highlightTerms, markMatches } from "./marks.ts";

const showMarks = (query: string, text: string): string =>
  markMatches(text, highlightTerms(parseQuery(query).tree), "bluesky")
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join("");

describe("marks in a post", () => {
  it.each([
    ["harbour", "The Harbour, harbours", "The [Harbour], harbours"],
    ['"storm surge" OR flood', "a Storm-Surge, no surge", "a [Storm-Surge], no surge"],
    ['"the * art"', "the fine art of", "[the fine art] of"],
    ["café", "CAFÉ cafe\u0301 cafes", "[CAFÉ] [cafe\u0301] cafes"],
    ["#nasa", "nasa #NASA #nasas", "nasa [#NASA] #nasas"],
    ["@ann.bsky.social", "by @ann.bsky.social and @ann", "by [@ann.bsky.social] and @ann"],
    ["$twtr", "buy $TWTR twtr", "buy [$TWTR] twtr"],
    ["台風", "大台風が", "大[台風]が"],
    ["comet 🎉", "🎉 comet", "[🎉] [comet]"],
    ["a -b", "a b", "[a] b"],
    ["-(b c)", "a b c", "a b c"],
    ["<b>", "<b>bold</b>", "<[b]>bold</[b]>"],
  ])("the query %j marks its matches in the post %j", (query, text, expected) => {
    expect(showMarks(query, text)).toBe(expected);
  });

  it("marking a post's matches never changes its text", () => {
    for (const text of ["", "\ud800 x", "a\u202eb 🎉\ufe0f", "ǅ ﬃ ŉ İ a", "x".repeat(5_000)]) {
      const parts = markMatches(text, highlightTerms(parseQuery("a OR x OR 🎉 OR ffi").tree), null);
      expect(parts.map((part) => part.text).join("")).toBe(text);
    }
  });
});

it("a post without a query has no marks", () => {
  expect(markMatches("a b", highlightTerms(null), null)).toEqual([
    { text: "a b", start: 0, isMatch: false },
  ]);
});
