import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuTime } from "../../../../testkit/cpu-time.ts";
import {
  type EntityKind,
  extractEntities,
  foldHandle,
  foldTag,
  readCashtag,
  readHashtag,
  readMention,
} from "./entities.ts";

function listValues(kind: EntityKind, text: string, dottedHandles = false): string[] {
  const entities = extractEntities(text, { dottedHandles });
  return entities.filter((entity) => entity.kind === kind).map(({ value }) => value);
}

describe("hashtags", () => {
  test.each([
    ["a word", "go #NASA now", ["NASA"]],
    ["full-width sigil", "＃ｎａｓａ", ["ｎａｓａ"]],
    [
      "letters of any script",
      "#日本語 #été #ашок #السياسة #한국말",
      ["日本語", "été", "ашок", "السياسة", "한국말"],
    ],
    ["underscore and digits", "#a_b #1st", ["a_b", "1st"]],
    ["not digits only", "#1 #123 #1_2", []],
    ["not inside a word", "a#b 日本#日本", []],
    ["two sigils", "##a", ["a"]],
    ["ends at punctuation", "#tag's #tag. (#tag)", ["tag", "tag", "tag"]],
    ["not a keycap", "#️⃣ #⃣", []],
    ["not in a link", "https://example.com/#tag example.com/#tag", []],
    ["a host without a space before it is not a link", "#日本example.com", ["日本example"]],
    ["not before a link", "#https://example.com", []],
    ["not an HTML entity", "it&#39;s", []],
    ["after an emoji", "✌️#tag 👨‍👩‍👧#tag", ["tag", "tag"]],
    ["a joiner is part of the word", "#می‌خواهم", ["می‌خواهم"]],
    ["not a sigil without a word", "# #", []],
  ])("a hashtag is recognised: %s", (_, text, expected) => {
    expect(listValues("hashtag", text)).toEqual(expected);
  });
});

describe("mentions", () => {
  test.each([
    ["a handle", "hi @NASA!", ["NASA"]],
    ["full-width sigil", "＠nasa", ["nasa"]],
    ["between ideographs", "の@usernameに", ["username"]],
    ["possessive", "@user's", ["user"]],
    ["a list names its owner", "@user/list", ["user"]],
    ["reposts that begin with RT", "RT@a: rt:@b RT @c", ["a", "b", "c"]],
    ["not in an address", "a@b.com x@@y f&@z", []],
    ["not a name at a host", "@test@example.com", []],
    ["not before accented letters", "@aliceìn", []],
    ["not in a link", "https://medium.com/@user", []],
    ["at most 20 characters", `@${"a".repeat(21)}`, ["a".repeat(20)]],
    ["the part before a dot", "@alice.bsky.social", ["alice"]],
  ])("a mention is recognised: %s", (_, text, expected) => {
    expect(listValues("mention", text)).toEqual(expected);
  });
  test.each([
    ["host names", "hi @alice.bsky.social.", ["alice.bsky.social"]],
    ["names at hosts", "cc @bob@mastodon.social, ok", ["bob@mastodon.social"]],
    ["plain names", "@carol says", ["carol"]],
    ["not the next sentence", "@carol.Great day", ["carol"]],
    ["not an address", "dave@example.com", []],
  ])("a mention with a dotted handle is recognised: %s", (_, text, expected) => {
    expect(listValues("mention", text, true)).toEqual(expected);
  });
});

describe("cashtags", () => {
  test.each([
    ["a symbol", "buy $TSLA and $brk.b", ["TSLA", "brk.b"]],
    ["not an amount", "$100 $1a", []],
    ["not inside a word", "a$b $A$B", ["A"]],
    ["at most six letters", "$ABCDEFG", []],
    ["no trailing dot", "$TSLA. $TSLA_", ["TSLA", "TSLA"]],
  ])("a cashtag is recognised: %s", (_, text, expected) => {
    expect(listValues("cashtag", text)).toEqual(expected);
  });
});

describe("links", () => {
  test.each([
    ["with a scheme", "see https://t.co/aB1 ok", ["https://t.co/aB1"]],
    ["without", "bit.ly/x and example.co.uk", ["bit.ly/x", "example.co.uk"]],
    [
      "punctuation after it",
      "(https://example.com/a). https://example.com/b, !",
      ["https://example.com/a", "https://example.com/b"],
    ],
    [
      "brackets that it opened",
      "https://en.wikipedia.org/wiki/Primer_(film)",
      ["https://en.wikipedia.org/wiki/Primer_(film)"],
    ],
    ["a bracket that it never closes", "https://example.com/a(b", ["https://example.com/a"]],
    [
      "port, query, fragment",
      "http://example.com:3000/a?b=c&d#e",
      ["http://example.com:3000/a?b=c&d#e"],
    ],
    ["between ideographs", "これexample.com/pathです", ["example.com/path"]],
    [
      "an international host",
      "http://ああ.com http://foobar.みんな/ https://example.삼성",
      ["http://ああ.com", "http://foobar.みんな/", "https://example.삼성"],
    ],
    [
      "a top-level domain in punycode, in capitals, or in Latin letters with accents",
      "http://xn--80abe5aohbnkjb.xn--p1ai/ «http://Голос.Дети» https://a.vermögensberatung",
      ["http://xn--80abe5aohbnkjb.xn--p1ai/", "http://Голос.Дети", "https://a.vermögensberatung"],
    ],
    ["the end of a short link", "http://t.co/pbY2NfTZ's", ["http://t.co/pbY2NfTZ"]],
    ["not an address", "a.b@example.com", []],
    ["not a file name", "test.tar.bz2 photo.jpeg", []],
    ["not a sentence without a space", "done.So what.My", []],
    ["not after a sigil", "#test.com @test.com $t.co", []],
    ["not without a top-level domain", "http://localhost http://no-tld/", []],
    ["not a number or an ellipsis", "3.5k a...b v1.2", []],
  ])("a link is recognised: %s", (_, text, expected) => {
    expect(listValues("url", text)).toEqual(expected);
  });
});

describe("reading an entity at its sigil, for queries", () => {
  test("a hashtag is read at its sigil in a query", () => {
    expect(readHashtag("-#日本語 x", 1)).toEqual({ value: "日本語", end: 5 });
    expect(readHashtag("＃a_b:", 0)).toEqual({ value: "a_b", end: 4 });
    expect(readHashtag("#123", 0)).toBeNull();
    expect(readHashtag("#", 0)).toBeNull();
    expect(readHashtag("#️⃣", 0)).toBeNull();
    expect(readHashtag("a#b", 0)).toBeNull();
  });
  test("a mention is read at its sigil in a query", () => {
    expect(readMention("@nasa's", 0)).toEqual({ value: "nasa", end: 5 });
    expect(readMention("＠alice.bsky.social)", 0)).toEqual({ value: "alice.bsky.social", end: 18 });
    expect(readMention("@bob@mastodon.social.", 0)).toEqual({
      value: "bob@mastodon.social",
      end: 20,
    });
    expect(readMention("@nasa.", 0)).toEqual({ value: "nasa", end: 5 });
    expect(readMention("@ nasa", 0)).toBeNull();
  });
  test("a cashtag is read at its sigil in a query", () => {
    expect(readCashtag("$TSLA OR", 0)).toEqual({ value: "TSLA", end: 5 });
    expect(readCashtag("$100", 0)).toBeNull();
  });
});

test("tags and handles are compared without regard to sigil, width and case", () => {
  expect(foldTag("＃ＮＡＳＡ")).toBe("nasa");
  expect(foldTag("#été")).toBe(foldTag("E\u0301TE\u0301"));
  expect(foldHandle("＠NASA")).toBe("nasa");
  expect(foldHandle("Alice.bsky.social")).toBe("alice.bsky.social");
});

test("any string yields ordered entities that contain their value and do not overlap", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("@", "#", "$", ".", "http://", "a.co/", "(", "@a.b", "あ", "-", " ", "://"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.boolean(), (parts, dottedHandles) => {
      const text = parts.join("");
      let lastEnd = 0;
      for (const { start, end, value } of extractEntities(text, { dottedHandles })) {
        expect(start).toBeGreaterThanOrEqual(lastEnd);
        expect(end).toBeGreaterThan(start);
        expect(text.slice(start, end).endsWith(value)).toBe(true);
        lastEnd = end;
      }
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ["dots", "a.".repeat(300_000)],
  ["dots after a scheme", `http://${"a.".repeat(300_000)}`],
  ["punycode", `http://${"xn--a.".repeat(50_000)}`],
  ["brackets", `a.co/${"(".repeat(300_000)}`],
  ["schemes", "http://a.".repeat(50_000)],
  ["sigils", "@a#a$a".repeat(100_000)],
])("entities are found in linear time in a text with many %s", (_, text) => {
  const cpuMs = startCpuTime();
  extractEntities(text, { dottedHandles: true });
  expect(cpuMs()).toBeLessThan(2_000);
});
