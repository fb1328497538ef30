import { describe, expect, test } from "vitest";
import { describeTree } from "../tree/describe.ts";
import { diagnosticLine } from "../tree/diagnostics.ts";
import { printQuery } from "../tree/print.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

function diagnosticsOf(...queries: string[]): string {
  return queries
    .map((query) =>
      parseQueryLeniently(query)
        .diagnostics.map(
          ({ code, hint = "", ...rest }) =>
            `${code}: ${diagnosticLine({ code, ...rest })}, ${rest.length} long\n  ${hint}`,
        )
        .join("\n"),
    )
    .join("\n");
}

const hints = (query: string): string =>
  parseQueryLeniently(query)
    .diagnostics.map(({ hint = "" }) => hint)
    .join("; ");

describe("warnings about syntax of other query languages", () => {
  test("lower-case keywords and exclamation marks", () => {
    expect(
      diagnosticsOf(
        "moon and sun",
        "moon not sun",
        "moon not (sun stars)",
        "!sun",
        'moon !"sun up"',
        "moon && sun",
      ),
    ).toMatchInlineSnapshot(`
      "lower_case_and: and is searched as a word (at offset 5), 3 long
        leave it out: a space means and
      lower_case_not: not is searched as a word (at offset 5), 7 long
        write -sun
      lower_case_not: not is searched as a word (at offset 5), 3 long
        write NOT in capitals to exclude what follows
      exclamation_is_not_minus: an exclamation mark excludes nothing (at offset 0), 4 long
        write -sun
      nothing_to_search: ! holds nothing that can be searched, so it is left out (at offset 5), 1 long
        write a minus right before a term to exclude it
      nothing_to_search: && holds nothing that can be searched, so it is left out (at offset 5), 2 long
        leave it out: a space means and"
    `);
  });

  test("comparisons and ranges", () => {
    expect(
      diagnosticsOf("likes>100", "likes > 100", "from=nasa", "2024-01-01..2024-02-01"),
    ).toMatchInlineSnapshot(`
      "comparison: likes>100 is no operator, so its words are searched as a phrase (at offset 0), 9 long
        did you mean min_faves:101
      comparison: likes > 100 is no operator, so its words are searched without the sign (at offset 0), 11 long
        did you mean min_faves:101
      comparison: from=nasa is no operator, so its words are searched as a phrase (at offset 0), 9 long
        did you mean from:nasa
      comparison: 2024-01-01..2024-02-01 is no operator, so its words are searched as a phrase (at offset 0), 22 long
        did you mean since:2024-01-01 until:2024-02-01"
    `);
  });

  test("proximity, boosts, wildcards and regular expressions", () => {
    expect(
      diagnosticsOf(
        '"moon landing"~3',
        '"moon sun"^2',
        "moon~2",
        "moon^2",
        "moon~",
        "m?on",
        "moon?",
        "/moon.*/",
        "'%moon%'",
        "moon|sun",
      ),
    ).toMatchInlineSnapshot(`
      "sign_left_out: ~3 is searched as 3: signs of nearness and weight are not part of the language (at offset 14), 2 long
        leave it out: "moon landing"
      sign_left_out: ^2 is searched as 2: signs of nearness and weight are not part of the language (at offset 10), 2 long
        leave it out: "moon sun"
      sign_left_out: moon~2 is searched as "moon 2": signs of nearness and weight are not part of the language (at offset 0), 6 long
        write moon
      sign_left_out: moon^2 is searched as "moon 2": signs of nearness and weight are not part of the language (at offset 0), 6 long
        write moon
      sign_left_out: moon~ is searched as moon: signs of nearness and weight are not part of the language (at offset 0), 5 long
        write moon
      sign_left_out: m?on is searched as "m on": a ? stands for no letter (at offset 0), 4 long
        write the words out, as in (run OR runs OR running)
      sign_left_out: moon? is searched as moon: a question mark is no part of a word, and no wildcard (at offset 0), 5 long
        write moon ?
      sign_left_out: /moon.*/ is searched as moon: regular expressions are not searched (at offset 0), 8 long
        write moon
      sign_left_out: '%moon%' is searched as moon: % is no part of a word (at offset 0), 8 long
        write moon
      sign_left_out: moon|sun is searched as "moon sun": | does not stand for OR (at offset 0), 8 long
        write (moon OR sun)"
    `);
    expect(
      diagnosticsOf('"* landing"', '"moon landing *"', '"moon* landing"', "#moo*", "@nas*"),
    ).toMatchInlineSnapshot(`
      "no_effect: a * at the start or the end of a phrase changes nothing (at offset 0), 11 long
        write landing
      no_effect: a * at the start or the end of a phrase changes nothing (at offset 0), 16 long
        write "moon landing"
      wildcard_not_available: moon* landing holds a *, and parts of words cannot be searched (at offset 0), 15 long
        write the words out, as in (run OR runs OR running); within quotes a lone * stands for any one word
      wildcard_not_available: #moo* holds a *, and parts of words cannot be searched (at offset 0), 5 long
        write the words out, as in (run OR runs OR running); within quotes a lone * stands for any one word
      wildcard_not_available: @nas* holds a *, and parts of words cannot be searched (at offset 0), 5 long
        write the words out, as in (run OR runs OR running); within quotes a lone * stands for any one word"
    `);
  });

  test("signs with a meaning in other languages", () => {
    expect(diagnosticsOf("C++", "C#", "#c++", "$50", "50€", "100%")).toMatchInlineSnapshot(`
      "sign_left_out: C++ is searched as c: + is no part of a word (at offset 0), 3 long
        write c
      sign_left_out: C# is searched as c: # is no part of a word (at offset 0), 2 long
        write c
      sign_left_out: #c++ is searched as #c: ++ is no part of it (at offset 0), 2 long
        write #c
      sign_left_out: $50 is searched as 50: $ is no part of a word (at offset 0), 3 long
        write 50
      sign_left_out: 50€ is searched as 50: € is no part of a word (at offset 0), 3 long
        write 50
      sign_left_out: 100% is searched as 100: % is no part of a word (at offset 0), 4 long
        write 100"
    `);
  });

  test.each([
    "AT&T",
    "and/or",
    "24/7",
    "3.14",
    "1,000",
    ".NET",
    "don't",
    "well-known",
    "moon!",
    "wow…",
    "(a_b)",
    "+moon",
    "¯\\_(ツ)_/¯",
    "^_^",
    "not bad",
  ])("does not warn about %s", (query) => {
    expect(diagnosticsOf(query)).toBe("");
  });

  test("times of day", () => {
    expect(
      diagnosticsOf("since:2024-01-01 10:00", "until:2024-01-01 9:30pm", "12:30 train", "3:30pm"),
    ).toMatchInlineSnapshot(`
      "unknown_operator: 10:00 is searched as the phrase 10 00, as a space parts it from its date (at offset 0), 22 long
        did you mean since:2024-01-01_10:00:00_UTC
      unknown_operator: 9:30pm is searched as the phrase 9 30pm, as a space parts it from its date (at offset 0), 23 long
        did you mean until:2024-01-01_21:30:00_UTC
      unknown_operator: 12:30 is searched as the phrase 12 30 (at offset 0), 5 long
        write "12:30" to say so
      unknown_operator: 3:30pm is searched as the phrase 3 30pm (at offset 0), 6 long
        write "3:30pm" to say so"
    `);
  });

  test("addresses of posts", () => {
    expect(
      diagnosticsOf(
        "https://twitter.com/nasa/status/1001?s=20",
        "url:x.com/nasa/status/1001",
        "https://bsky.app/profile/nasa.gov/post/3k",
      ),
    ).toMatchInlineSnapshot(`
      "post_address: this finds posts that link to the post, not its answers or quotes (at offset 0), 41 long
        in_reply_to:1001 finds its answers, quoted:1001 its quotes, conversation_id:1001 its conversation
      post_address: this finds posts that link to the post, not its answers or quotes (at offset 4), 22 long
        in_reply_to:1001 finds its answers, quoted:1001 its quotes, conversation_id:1001 its conversation
      post_address: this finds posts that link to the post, not its answers or quotes (at offset 0), 41 long
        in_reply_to:https://bsky.app/profile/nasa.gov/post/3k finds its answers, quoted:https://bsky.app/profile/nasa.gov/post/3k its quotes, conversation_id:https://bsky.app/profile/nasa.gov/post/3k its conversation"
    `);
    const addresses = [
      "https://x.com/nasa/status/1001",
      "mobile.twitter.com/nasa/status/1001?s=20&t=x",
      '"https://www.twitter.com/nasa/status/1001/photo/1"',
      "url:https://x.com/nasa/status/1001#a",
    ];
    const canonical = addresses.map((address) => printQuery(parseQuery(address).tree));
    expect(new Set(canonical)).toEqual(new Set(['url:"nasa/status/1001"']));
    expect(
      diagnosticsOf(
        "https://x.com/nasa",
        "https://x.com/nasa/status/",
        "https://bsky.app/profile/nasa.gov",
      ),
    ).toBe("\n\n");
  });

  test("links and mentions among words", () => {
    expect(
      diagnosticsOf('"see nasa.gov now"', '"@nasa launch"', ",nasa.gov", ".@nasa"),
    ).toMatchInlineSnapshot(`
      "not_a_word: nasa.gov is a link in a post, and no word of it (at offset 0), 18 long
        write it beside the other words, without quotes: nasa.gov
      not_a_word: @nasa is a mention in a post, and no word of it (at offset 0), 14 long
        write it beside the other words, without quotes: @nasa
      not_a_word: nasa.gov is a link in a post, and no word of it (at offset 0), 9 long
        write it beside the other words, without quotes: nasa.gov
      "
    `);
  });

  test("languages with a region", () => {
    expect(diagnosticsOf("lang:en-US")).toMatchInlineSnapshot(`
      "language_region: lang:en-us finds only posts that are marked en-us, and most are marked en alone (at offset 5), 5 long
        write lang:en to find both"
    `);
    expect(diagnosticsOf("lang:zh-CN lang:zh-tw lang:pt-br")).toBe("");
  });

  test("an empty window", () => {
    expect(diagnosticsOf("within_time:0d")).toMatchInlineSnapshot(`
      "empty_window: no time lies within within_time:0d (at offset 12), 2 long
        say how far to go back, as in within_time:1d"
    `);
  });

  test("an opening quotation mark at the end is a single error", () => {
    expect(diagnosticsOf('from:nasa"')).toMatchInlineSnapshot(`
      "unclosed_quote: the quotation that " opens is never closed (at offset 9), 1 long
        add " where the phrase ends, or leave out the ""
    `);
  });
});

describe("a hint suggests the most likely meaning", () => {
  test.each([
    ["min_faves>=100", "did you mean min_faves:100"],
    ["-!sun", "write sun"],
    ["from:nasa !esa", "write -esa"],
    ["from :nasa", "leave out the space: from:nasa"],
    ["from: nasa", "leave out the space: from:nasa"],
    ["from: nasa,esa", "write the value right after the colon"],
    ["min_faves=100", "did you mean min_faves:100"],
    ["likes=100", "did you mean min_faves:100 -min_faves:101"],
    ["-likes=100", "did you mean (min_faves:100 -min_faves:101)"],
    ["retweets<5", "did you mean -min_retweets:5"],
    ["likes <= 5", "did you mean -min_faves:6"],
    ["created_at>2024-01-01", "did you mean since:2024-01-01"],
    ["likes:>100", "did you mean min_faves:101"],
    ["likes:[100 TO 200]", "did you mean min_faves:100 -min_faves:201"],
    ["min_faves:100..200", "write min_faves:100 -min_faves:201"],
    ["min_likes:>1k", "write min_likes:1001"],
    ["max_faves:500", "did you mean -min_faves:501"],
    ["max_retweets:10", "did you mean -min_retweets:11"],
    ["retweets:10", "did you mean min_retweets:10"],
    ["replies:10", "did you mean min_replies:10"],
    ["quote_count:1.5k", "did you mean min_quotes:1500"],
    ["mention:nasa", "did you mean @nasa"],
    ["hastag:moon", "did you mean #moon"],
    ["hashtag:#moon", "did you mean #moon"],
    ["text:moon", "did you mean moon"],
    ['text:"full moon"', 'did you mean "full moon"'],
    ["type:video", "did you mean has:videos"],
    ["media:photo", "did you mean has:images"],
    ["_exists_:media", "did you mean has:media"],
    ["date:2024-02-29", "did you mean since:2024-02-29 until:2024-03-01"],
    ["moon OR date:2024-01-01", "did you mean (since:2024-01-01 until:2024-01-02)"],
    ["created_at:[2024-01-01 TO 2024-02-01]", "did you mean since:2024-01-01 until:2024-02-01"],
    ["newer_than:7d", "did you mean within_time:7d"],
    ["site:nasa.gov", "did you mean domain:nasa.gov"],
    ["site:nasa.gov/artemis", 'did you mean url:"nasa.gov/artemis"'],
    ["conversation:1", "did you mean conversation_id:1"],
    [
      "limit:10",
      "leave it out: how many posts come is no part of the query, but said beside it in max_results",
    ],
    ["sort:latest", "leave it out: the order of posts is no part of the query"],
    [
      "id:1001",
      "no operator finds a post by its ID; conversation_id:1001 finds the conversation that it began",
    ],
    [
      "views:1000",
      "leave it out: of counts, min_faves:, min_retweets:, min_replies: and min_quotes: are answered",
    ],
    ["intitle:moon", "leave it out: posts have no titles and are no files"],
    ["filter:tweets", "did you mean -filter:retweets"],
    ["-filter:originals", "did you mean filter:retweets"],
    ["exclude:tweets", "did you mean filter:retweets"],
    ["filter:photo", "did you mean filter:images"],
    ["has:gif", "did you mean has:videos"],
    ["filter:top", "leave it out: the order of posts is no part of the query"],
    ["filter:follow", "write it as in filter:retweets"],
    ["-from:a,b", "write -(from:a OR from:b)"],
    ["exclude:retweets,replies", "write (exclude:retweets exclude:replies)"],
    ["from:(nasa OR esa)", "write (from:nasa OR from:esa)"],
    ["from:(nasa esa)", "write (from:nasa OR from:esa)"],
    ["-lang:(en OR fr)", "write -(lang:en OR lang:fr)"],
    ["min_faves:(100)", "write min_faves:100"],
    ["from:(nasa (esa))", "repeat the operator for each value, with OR between them"],
    ["since:2024-05-01 until:2024-04-01", "write since:2024-04-01 until:2024-05-01"],
    ["since:yesterday", "write within_time:2d"],
    ["since:today", "write within_time:1d"],
    ["since:now-7d", "write within_time:7d"],
    ['since:"5 days ago"', "write within_time:5d"],
    ["since:2w", "write within_time:14d"],
    ["until:yesterday", "write -within_time:1d"],
    ["until:tomorrow", "leave it out: no post is later"],
    ["since:2024-01-01..2024-02-01", "write since:2024-01-01 until:2024-02-01"],
    ["since:01/02/2024", "write since:2024-02-01 or since:2024-01-02"],
    ["since:25/12/2023", "write since:2023-12-25"],
    ["since:2024-13-01", "write since:2024-01-13"],
    ["since:2024-02-30", "write since:2024-02-29"],
    ["until:2024-02-30", "write until:2024-03-01"],
    ["since:2024", "write since:2024-01-01"],
    ["since:Jan-2024", "write since:2024-01-01"],
    ["within_time:1month", "write within_time:30d"],
  ])("%s: %s", (query, hint) => {
    expect(hints(query)).toBe(hint);
    const suggestion = /^(?:did you mean|write) ([^ ]+:.*|[@#-].*|\(.*\))$/.exec(hint)?.[1];
    for (const each of suggestion?.split(/(?<!\(.*) or /) ?? []) {
      if (!hint.includes(" as in ")) expect(diagnosticsOf(each)).toBe("");
    }
  });

  test("never suggests an unavailable operator or an invalid value", () => {
    for (const query of [
      "nera:here",
      "lists:7",
      "withn:5km",
      "frm:a!b",
      "min_fave:many",
      "filter:folows",
    ]) {
      expect(hints(query)).not.toMatch(/did you mean/);
    }
  });
});

describe("the tree shows the words that are searched", () => {
  test.each([
    ["moon", "word moon"],
    ["Moon", "word Moon"],
    ["café", "word café"],
    ["C++", "word c (written C++)"],
    [".NET", "word net (written .NET)"],
    ["moon-sun", "words moon sun, side by side (written moon-sun)"],
    ['"full moon"', 'phrase "full moon"'],
    ['"* landing"', 'phrase "landing" (written "* landing")'],
    ['"one * step"', 'phrase "one * step"'],
    ['"10:00"', 'phrase "10 00" (written "10:00")'],
    ["東京タワー", "word 東京タワー"],
    ["👍🏽", "word 👍🏽"],
    ["min_faves:1", "at least 1 like"],
    ["-min_faves:1", "fewer than 1 like, or none known"],
    ["-min_replies:2", "fewer than 2 replies, or none known"],
  ])("%s: %s", (query, drawn) => {
    expect(describeTree(parseQuery(query).tree)).toBe(drawn);
  });
});
