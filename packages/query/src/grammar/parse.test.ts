import { describe, expect, test } from "vitest";
import { printQuery } from "../tree/print.ts";
import { InvalidQueryError, parseQuery, parseQueryLeniently } from "./parse.ts";

/** The canonical query, followed by `!code` for each warning. */
function canonicalWithCodes(query: string): string {
  const { tree, warnings } = parseQuery(query);
  const codes = warnings.map((warning) => ` !${warning.code}`).join("");
  return printQuery(tree) + codes;
}

function queryError(query: string, maxLength?: number): InvalidQueryError {
  try {
    parseQuery(query, maxLength === undefined ? {} : { maxLength });
  } catch (thrown) {
    if (thrown instanceof InvalidQueryError) return thrown;
    throw thrown;
  }
  throw new Error(`${query} is valid`);
}

function errorCodes(query: string): (string | undefined)[] {
  return queryError(query).diagnostics.map((detail) => detail.code);
}

describe("valid queries", () => {
  test.each([
    ["nasa esa", "nasa esa"],
    ["nasa AND esa", "nasa esa"],
    ["nasa OR esa", "nasa OR esa"],
    ["ｎａｓａ　ＯＲ　esa", "ｎａｓａ OR esa"],
    ["a OR b c", "(a OR b) c !or_binds_tighter"],
    ["a b OR c", "a (b OR c) !or_binds_tighter"],
    ["a OR b AND c OR d", "(a OR b) (c OR d) !or_binds_tighter"],
    ["(a OR b) c", "(a OR b) c"],
    ["a OR (b c)", "a OR (b c)"],
    ["（a OR b） c", "(a OR b) c"],
    ["((a))", "a"],
    ["a (b (c d))", "a b c d"],
    ["a OR (b OR c)", "a OR b OR c"],
    ["cats or dogs", "cats or dogs !lower_case_or"],
    ["or", "or"],
    ['"OR"', '"OR"'],
    ["+OR +radiooooo +-x", '"OR" radiooooo -x'],
    ["state-of-the-art don't", "state-of-the-art don't"],
    ["foo(bar)", "foo bar"],
    ["👀 lang:en", "👀 lang:en"],
    ["東京タワー", "東京タワー"],
    ["新闻：地震", "新闻：地震"],
    ["-x", "-x"],
    ["--x", "x"],
    ["---x", "-x"],
    ["NOT x", "-x"],
    ["NOT -x", "x"],
    ["-(-x)", "x"],
    ["-(a OR b)", "-(a OR b)"],
    ["-(a OR -b)", "-(a OR -b)"],
    ["a OR -b", "a OR -b"],
    ['-"a b" -#t -@u -from:v -😀 −y －z', '-"a b" -#t -@u -from:v -😀 -y -z'],
    ["- x", "x !stray_minus"],
    ["a -", "a !stray_minus"],
    ["a - b ----- c", "a b c !stray_minus !stray_minus"],
    ['"New York"-based', '"New York" based !stray_minus'],
    ["–x", "x !dash_is_not_minus"],
    ["a – b", "a b !nothing_to_search"],
    ['"state of the art"', '"state of the art"'],
    ["“hello” „du“ «hi» 「東京」", '"hello" "du" "hi" "東京"'],
    ['"Toys \\"R\\" Us"', '"Toys \\"R\\" Us"'],
    ['"a * b"', '"a * b"'],
    ['"line\nbreak"', '"line\nbreak"'],
    ['x ""', "x !nothing_to_search"],
    ["#NASA ＃été #日本語", "#nasa #été #日本語"],
    ["@NASA ＠esa @nasa.bsky.social", "@nasa @esa @nasa.bsky.social"],
    ["@did:plc:ewvi7nxzyoun6zhxrhs64oiz", "@did:plc:ewvi7nxzyoun6zhxrhs64oiz"],
    ["#tag's -#tag's", "#tag s -(#tag s)"],
    ["x OR #covid-19", "x OR (#covid 19)"],
    ["#tag.", "#tag"],
    ["#123", "#123 !not_a_hashtag"],
    ["a@b", "a@b"],
    ["from:NASA to:@esa TO:x", "from:nasa to:esa to:x"],
    ['from:"nasa" ｆｒｏｍ：“nasa”', "from:nasa from:nasa"],
    ["from:11348282", "from:11348282"],
    ["from:did:plc:ewvi7nxzyoun6zhxrhs64oiz", "from:did:plc:ewvi7nxzyoun6zhxrhs64oiz"],
    ["from:gargron@mastodon.social", "from:gargron@mastodon.social"],
    ["from :nasa", "from :nasa !space_before_colon"],
    ["lang:EN lang:zh-CN lang:pt_BR", "lang:en lang:zh-cn lang:pt-br"],
    ["lang:iw lang:in lang:no lang:tl", "lang:he lang:id lang:nb lang:fil"],
    ["lang:und lang:zxx lang:qme", "lang:und lang:zxx lang:qme"],
    ["lang:english", "lang:english !unknown_language"],
    ["since:2021-12-31", "since:2021-12-31"],
    ["until:2021-12-31_23:59:59_UTC", "until:2021-12-31_23:59:59_UTC"],
    ["since:2022-07-01_12:00:00_CEST", "since:2022-07-01_10:00:00_UTC"],
    ["since:2024-01-02T03:04:05Z", "since:2024-01-02_03:04:05_UTC"],
    ["since:2024-01-02t03:04z", "since:2024-01-02_03:04:00_UTC"],
    ["since:2024-01-02T03:04:05.5Z", "since:2024-01-02T03:04:05.500Z"],
    ["since:2024-01-02T03:04:05-03:30", "since:2024-01-02_06:34:05_UTC"],
    ["since:2024-01-02T03:04:05.678+02:00", "since:2024-01-02T01:04:05.678Z"],
    ["since:2016-12-31T23:59:60Z", "since:2017-01-01"],
    ["-since:2024-02-29 since:1999-01-01", "-since:2024-02-29 since:1999-01-01"],

    [
      "-filter:retweets OR is:retweet OR exclude:retweets",
      "-filter:retweets OR filter:retweets OR -filter:retweets",
    ],
    ["-exclude:retweets", "filter:retweets"],
    ["x include:nativeretweets", "x !no_effect"],
    ["-filter:safe exclude:safe", "-filter:safe -filter:safe"],
    ["min_faves:0 min_likes:10 -min_faves:500", "min_faves:0 min_faves:10 -min_faves:500"],
    ["min_retweets:1 min_reposts:２", "min_retweets:1 min_retweets:2"],
    ["geocode:37.7764685,-122.4172004,10km", "geocode:37.7764685,-122.4172004,10km"],
    ["geocode:-90,180,0.5mi", "geocode:-90,180,0.804672km"],
    ['geocode:"37.77, -122.41, 5KM"', "geocode:37.77,-122.41,5km"],
    ["geocode:-0,+1.5,.5km", "geocode:0,1.5,0.5km"],
    ['url:"https://t.co"', 'url:"https://t.co"'],
    ["url:t_mobile.com", 'url:"t_mobile.com"'],
    ["url:status/20", 'url:"status/20"'],
    ["https://x.com/jack/status/20, -x", 'url:"jack/status/20" -x !post_address'],
    ["nasa.gov Node.js/Express", 'url:"nasa.gov" Node.js/Express'],
    ['"twitter.com/i/broadcasts/"', 'url:"twitter.com/i/broadcasts/"'],
    ["twitter.com/jack/status/ -from:jack", 'url:"twitter.com/jack/status/" -from:jack'],
    [
      "(https://en.wikipedia.org/wiki/Moon_(film))",
      'url:"https://en.wikipedia.org/wiki/Moon_(film)"',
    ],
    ["what ? ？ ؟", "what ? ? ?"],
    ['"?"', "?"],
    ["-? x", "-? x"],
    ["word?", "word !sign_left_out"],
    ["word？", "word"],
    ["?!", "?"],
    ["re:invent", '"re:invent" !unknown_operator'],
    ["3:30pm", '"3:30pm" !unknown_operator'],
    ['foo:"a b"', '"foo a b" !unknown_operator'],
    ["note: x :foo:", "note: x :foo:"],
    ["!!! & x", "x !nothing_to_search !nothing_to_search"],
    ["x :) OR :(", "x (:) OR :() !or_binds_tighter"],
    ["(happy OR :))", "happy OR :)"],
    ["a | b", "a b !nothing_to_search"],
    ["\u200ffrom:nasa\u200e", "from:nasa"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });

  test("the leaves of a query tree contain their values", () => {
    const { tree } = parseQuery("min_faves:3 since:2021-01-02");
    expect(tree).toEqual({
      kind: "and",
      span: { offset: 0, length: 28 },
      children: [
        { kind: "min-count", metric: "likes", atLeast: 3, span: { offset: 0, length: 11 } },
        { kind: "since", ms: Date.UTC(2021, 0, 2), span: { offset: 12, length: 16 } },
      ],
    });
  });

  test("the offsets in a query tree count code points, not UTF-16 code units", () => {
    const { tree } = parseQuery("😀😀 -(𝒳 OR #t)");
    expect(tree.span).toEqual({ offset: 0, length: 13 });
    expect(tree.kind === "and" && tree.children[1]?.span).toEqual({ offset: 3, length: 10 });
    expect(queryError("😀 since:x").diagnostics[0]).toMatchObject({ offset: 8, length: 1 });
    expect(parseQuery("#𠮷野's").tree).toMatchObject({
      children: [{ span: { offset: 0, length: 3 } }, { span: { offset: 4, length: 1 } }],
    });
  });
});

describe("invalid queries", () => {
  test.each([
    ["", "empty_query"],
    ["   ", "empty_query"],
    ["!!! :-", "empty_query"],
    ["*", "empty_query"],
    ["include:retweets", "empty_query"],
    ["()", "empty_group"],
    ["(a", "unclosed_group"],
    ["a)", "unopened_group"],
    ["a OR", "missing_term"],
    ["OR b", "missing_term"],
    ["OR", "missing_term"],
    ["a OR OR b", "missing_term"],
    ["a AND", "missing_term"],
    ["AND b", "missing_term"],
    ["a OR AND b", "missing_term"],
    ["a NOT", "missing_term"],
    ["-OR x", "missing_term"],
    ['"abc', "unclosed_quote"],
    ["「abc", "unclosed_quote"],
    ["foo*", "wildcard_not_available"],
    ["f*ck", "wildcard_not_available"],
    ["from:", "missing_operand"],
    ["from: nasa", "missing_operand"],
    ['from:""', "missing_operand"],
    ["from:(a OR b)", "one_value_only"],
    ["from:a,b", "one_value_only"],
    ["lang:en,fr", "one_value_only"],
    ["from:a!b", "invalid_user"],
    ["from:@", "invalid_user"],
    ["lang:x!", "invalid_language"],
    ["since:2021-02-30", "invalid_date"],
    ["since:2021-13-01", "invalid_date"],
    ["since:2021-1-1", "invalid_date"],
    ["since:2021-00-10", "invalid_date"],
    ["since:yesterday", "invalid_date"],
    ["since:2021-01-01_10:00:00", "invalid_date"],
    ["since:2021-01-01_10:00:00_XYZ", "invalid_date"],
    ["since:2021-01-01_25:00:00_UTC", "invalid_date"],
    ["since:2021-01-01T10:00:00+99:00", "invalid_date"],
    ["since:0000-01-01", "invalid_date"],
    ["since:9999-12-31T23:59:60Z", "invalid_date"],
    ["min_faves:1.5", "invalid_count"],
    ["min_faves:-5", "invalid_count"],
    ["min_faves:1,000", "invalid_count"],
    ["min_faves:99999999999999999999", "invalid_count"],
    ["geocode:1,2", "invalid_geocode"],
    ["geocode:1,2,3", "invalid_geocode"],
    ["geocode:91,0,1km", "invalid_geocode"],
    ["geocode:0,181,1km", "invalid_geocode"],
    ["geocode:0,0,0km", "invalid_geocode"],
    ["geocode:0,0,-1km", "invalid_geocode"],
    ["geocode:0,0,60000km", "invalid_geocode"],
    ["geocode:1e1,0,1km", "invalid_geocode"],
    ['url:"!!"', "invalid_url"],
    ['url:"http://"', "invalid_url"],
    ["url:utm_source=x", "invalid_url"],
    ["filter:nonsense", "unknown_filter"],
    ["x -include:retweets", "unknown_filter"],
  ])("the query %j is rejected as %s", (query, code) => {
    expect(errorCodes(query)).toEqual([code]);
  });

  test("the parser reports every error, and the message is the first one", () => {
    const error = queryError("from:a,b since:x -min_faves:y");
    expect(error.message).toBe("from: must have one value, not a,b (at offset 5)");
    expect(error.diagnostics[0].hint).toBe("write (from:a OR from:b)");
    expect(error.diagnostics.map(({ code, offset }) => [code, offset])).toEqual([
      ["one_value_only", 5],
      ["invalid_date", 15],
      ["invalid_count", 28],
    ]);
  });
});

describe("limits", () => {
  const nestGroups = (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`;

  test("the parser accepts 20 nested groups, and rejects 21 with a separate code", () => {
    expect(canonicalWithCodes(nestGroups(20))).toBe("a");
    for (const depth of [21, 33, 2000])
      expect(errorCodes(nestGroups(depth))).toEqual(["query_too_deep"]);
  });

  test("an implied group of OR counts as a level of nesting", () => {
    const nestConjunction = (depth: number) => `${"(".repeat(depth)}a OR b c${")".repeat(depth)}`;
    expect(canonicalWithCodes(nestConjunction(19))).toBe("(a OR b) c !or_binds_tighter");
    expect(errorCodes(nestConjunction(20))).toEqual(["query_too_deep"]);
  });

  test("the parser accepts 256 terms, and rejects 257 with a separate code", () => {
    const terms = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
    expect(parseQuery(terms(256).join(" OR ")).tree).toMatchObject({ kind: "or" });
    expect(errorCodes(terms(257).join(" "))).toEqual(["too_many_terms"]);
    expect(
      errorCodes(
        terms(300)
          .map((term) => `-${term}`)
          .join(" "),
      ),
    ).toEqual(["too_many_terms"]);
  });

  test.each([
    ["a phrase", (words: number) => `"${"a b ".repeat(words / 2)}"`],
    ["a phrase with wildcards", (words: number) => `"a ${"* ".repeat(words - 2)}b"`],
    ["a word of several parts", (words: number) => "a-".repeat(words)],
    ["a text without spaces", (words: number) => "日".repeat(words + 1)],
    ["a link", (words: number) => `https://example.com/${"a/".repeat(words - 2)}`],
  ])("the parser counts %s by its words", (_name, query) => {
    expect(() => parseQuery(query(256))).not.toThrow();
    expect(errorCodes(query(258))).toEqual(["too_many_terms"]);
    expect(errorCodes(`b ${query(256)}`)).toEqual(["too_many_terms"]);
  });

  test("the error for too many terms reports the phrase that exceeds the limit, and the fix", () => {
    const phrase = `"${"to be ".repeat(127)}"`;
    expect(() => parseQuery(`one two ${phrase}`)).not.toThrow();
    expect(queryError(`one two three ${phrase}`).diagnostics).toMatchObject([
      {
        code: "too_many_terms",
        offset: 14,
        length: phrase.length,
        hint: "shorten the phrase, each word of which is a term, or split the query",
      },
    ]);
  });

  test("the length of a query is counted in code points", () => {
    const letters = "𝐚".repeat(4096);
    expect(parseQuery(letters).tree).toMatchObject({ kind: "word", text: letters });
    expect(errorCodes("a".repeat(4097))).toEqual(["query_too_long"]);
    expect(queryError("abcdef", 5).diagnostics[0]).toMatchObject({ offset: 5, length: 1 });
  });

  test.each([
    '"',
    "(",
    ")",
    "-",
    "(-",
    ":(",
    "((a OR ",
    "a:",
    "@",
    "#a",
    "*",
    "\\",
    "http://a(",
    "x.co/",
    "'",
    "=",
    ",1",
    "–",
    "🏽",
    "\u0301",
  ])("8 KB of %j is parsed before the test times out", (piece) => {
    const text = piece.repeat(8192 / piece.length).slice(0, 8192);
    for (const prefix of ["", "geocode:", "since:", "lang:", "from:", "url:", "#", "@", '"']) {
      parseQueryLeniently(prefix + text, { maxLength: 20_000 });
    }
  });
});

test("the parser reports at most 32 errors and 32 warnings, and never drops an error for a warning", () => {
  expect(queryError(")".repeat(100)).diagnostics).toHaveLength(32);
  const { diagnostics } = parseQueryLeniently(`${"! ".repeat(100)}x from:`);
  expect(diagnostics).toHaveLength(33);
  expect(errorCodes(`${"! ".repeat(100)}x from:`)).toEqual(["missing_operand"]);
});
