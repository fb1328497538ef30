import { describe, expect, test } from "vitest";
import { describeTree } from "../tree/describe.ts";
import { diagnosticLine } from "../tree/diagnostics.ts";
import { printQuery } from "../tree/print.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

function formatDiagnostics(...queries: string[]): string {
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
  test("the parser warns about lower-case keywords and exclamation marks", () => {
    expect(
      formatDiagnostics(
        "moon and sun",
        "moon not sun",
        "moon not (sun stars)",
        "!sun",
        'moon !"sun up"',
        "moon && sun",
      ),
    ).toMatchInlineSnapshot(`
      "lower_case_and: "and" is searched for as a word (at offset 5), 3 long
        remove it: a space already means AND
      lower_case_not: "not" is searched for as a word (at offset 5), 7 long
        write -sun
      lower_case_not: "not" is searched for as a word (at offset 5), 3 long
        write NOT in capitals to exclude the next term
      exclamation_is_not_minus: an exclamation mark does not exclude a term (at offset 0), 4 long
        write -sun
      nothing_to_search: ! contains nothing to search for, so it is ignored (at offset 5), 1 long
        write a minus right before a term to exclude it
      nothing_to_search: && contains nothing to search for, so it is ignored (at offset 5), 2 long
        remove it: a space already means AND"
    `);
  });

  test("the parser warns about comparisons and ranges", () => {
    expect(
      formatDiagnostics("likes>100", "likes > 100", "from=nasa", "2024-01-01..2024-02-01"),
    ).toMatchInlineSnapshot(`
      "comparison: likes>100 is not an operator, so its words are searched for as a phrase (at offset 0), 9 long
        did you mean min_faves:101
      comparison: likes > 100 is not an operator, so its words are searched for without the sign (at offset 0), 11 long
        did you mean min_faves:101
      comparison: from=nasa is not an operator, so its words are searched for as a phrase (at offset 0), 9 long
        did you mean from:nasa
      comparison: 2024-01-01..2024-02-01 is not an operator, so its words are searched for as a phrase (at offset 0), 22 long
        did you mean since:2024-01-01 until:2024-02-01"
    `);
  });

  test("the parser reports proximity, boosts, wildcards and regular expressions", () => {
    expect(
      formatDiagnostics(
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
      "sign_left_out: ~3 is searched for as 3: proximity (~) and boost (^) are not supported (at offset 14), 2 long
        write "moon landing"
      sign_left_out: ^2 is searched for as 2: proximity (~) and boost (^) are not supported (at offset 10), 2 long
        write "moon sun"
      sign_left_out: moon~2 is searched for as "moon 2": proximity (~) and boost (^) are not supported (at offset 0), 6 long
        write moon
      sign_left_out: moon^2 is searched for as "moon 2": proximity (~) and boost (^) are not supported (at offset 0), 6 long
        write moon
      sign_left_out: moon~ is searched for as moon: proximity (~) and boost (^) are not supported (at offset 0), 5 long
        write moon
      sign_left_out: m?on is searched for as "m on": the ? wildcard is not supported (at offset 0), 4 long
        list the forms of the word instead, as in (run OR runs OR running)
      sign_left_out: moon? is searched for as moon: a question mark is not a wildcard (at offset 0), 5 long
        write moon ?
      sign_left_out: /moon.*/ is searched for as moon: regular expressions are not supported (at offset 0), 8 long
        write moon
      sign_left_out: '%moon%' is searched for as moon: % is ignored (at offset 0), 8 long
        write moon
      sign_left_out: moon|sun is searched for as "moon sun": | is not OR (at offset 0), 8 long
        write (moon OR sun)"
    `);
    expect(
      formatDiagnostics('"* landing"', '"moon landing *"', '"moon* landing"', "#moo*", "@nas*"),
    ).toMatchInlineSnapshot(`
      "no_effect: a * at the start or end of a phrase has no effect (at offset 0), 11 long
        write landing
      no_effect: a * at the start or end of a phrase has no effect (at offset 0), 16 long
        write "moon landing"
      wildcard_not_available: moon* landing contains a *, but wildcards within words are not supported (at offset 0), 15 long
        list the forms of the word instead, as in (run OR runs OR running); within quotes, a separate * matches any one word
      wildcard_not_available: #moo* contains a *, but wildcards within words are not supported (at offset 0), 5 long
        list the forms of the word instead, as in (run OR runs OR running); within quotes, a separate * matches any one word
      wildcard_not_available: @nas* contains a *, but wildcards within words are not supported (at offset 0), 5 long
        list the forms of the word instead, as in (run OR runs OR running); within quotes, a separate * matches any one word"
    `);
  });

  test("the parser warns about ignored signs that are attached to a word", () => {
    expect(formatDiagnostics("C++", "C#", "#c++", "$50", "50€", "100%")).toMatchInlineSnapshot(`
      "sign_left_out: C++ is searched for as c: + is ignored (at offset 0), 3 long
        write c
      sign_left_out: C# is searched for as c: # is ignored (at offset 0), 2 long
        write c
      sign_left_out: #c++ is searched for as #c: ++ is ignored (at offset 0), 2 long
        write #c
      sign_left_out: $50 is searched for as 50: $ is ignored (at offset 0), 3 long
        write 50
      sign_left_out: 50€ is searched for as 50: € is ignored (at offset 0), 3 long
        write 50
      sign_left_out: 100% is searched for as 100: % is ignored (at offset 0), 4 long
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
  ])("the parser does not warn about %s", (query) => {
    expect(formatDiagnostics(query)).toBe("");
  });

  test("the parser warns about times of day", () => {
    expect(
      formatDiagnostics(
        "since:2024-01-01 10:00",
        "until:2024-01-01 9:30pm",
        "12:30 train",
        "3:30pm",
      ),
    ).toMatchInlineSnapshot(`
      "unknown_operator: 10:00 is searched for as the phrase "10 00", because a space separates it from its date (at offset 0), 22 long
        did you mean since:2024-01-01_10:00:00_UTC
      unknown_operator: 9:30pm is searched for as the phrase "9 30pm", because a space separates it from its date (at offset 0), 23 long
        did you mean until:2024-01-01_21:30:00_UTC
      unknown_operator: 12:30 is searched for as the phrase "12 30" (at offset 0), 5 long
        write "12:30" to confirm
      unknown_operator: 3:30pm is searched for as the phrase "3 30pm" (at offset 0), 6 long
        write "3:30pm" to confirm"
    `);
  });

  test("the parser warns about post URLs", () => {
    expect(
      formatDiagnostics(
        "https://twitter.com/nasa/status/1001?s=20",
        "url:x.com/nasa/status/1001",
        "https://bsky.app/profile/nasa.gov/post/3k",
      ),
    ).toMatchInlineSnapshot(`
      "post_address: this finds posts that link to the post, not its replies or quotes (at offset 0), 41 long
        use in_reply_to:1001 for its replies, quoted:1001 for its quotes, conversation_id:1001 for its conversation
      post_address: this finds posts that link to the post, not its replies or quotes (at offset 4), 22 long
        use in_reply_to:1001 for its replies, quoted:1001 for its quotes, conversation_id:1001 for its conversation
      post_address: this finds posts that link to the post, not its replies or quotes (at offset 0), 41 long
        use in_reply_to:https://bsky.app/profile/nasa.gov/post/3k for its replies, quoted:https://bsky.app/profile/nasa.gov/post/3k for its quotes, conversation_id:https://bsky.app/profile/nasa.gov/post/3k for its conversation"
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
      formatDiagnostics(
        "https://x.com/nasa",
        "https://x.com/nasa/status/",
        "https://bsky.app/profile/nasa.gov",
      ),
    ).toBe("\n\n");
  });

  test("the parser warns about links and mentions among words", () => {
    expect(
      formatDiagnostics('"see nasa.gov now"', '"@nasa launch"', ".@nasa"),
    ).toMatchInlineSnapshot(`
      "not_a_word: nasa.gov is a link, and links are not indexed as words (at offset 0), 18 long
        write it outside the quotes: nasa.gov
      not_a_word: @nasa is a mention, and mentions are not indexed as words (at offset 0), 14 long
        write it outside the quotes: @nasa
      "
    `);
  });

  test("without quotes, the hint about a link next to other characters does not mention quotes", () => {
    expect(
      formatDiagnostics(
        ",nasa.gov",
        "moon,nasa.gov",
        "-moon,nasa.gov",
        "moon/@nasa",
        "nasa.gov,esa.int",
      ),
    ).toMatchInlineSnapshot(`
      "not_a_word: nasa.gov is a link, and links are not indexed as words (at offset 0), 9 long
        write nasa.gov
      not_a_word: nasa.gov is a link, and links are not indexed as words (at offset 0), 13 long
        write moon, nasa.gov
      not_a_word: nasa.gov is a link, and links are not indexed as words (at offset 1), 13 long
        write (moon, nasa.gov)
      not_a_word: @nasa is a mention, and mentions are not indexed as words (at offset 0), 10 long
        write moon/ @nasa
      not_a_word: nasa.gov is a link, and links are not indexed as words (at offset 0), 16 long
        put spaces around nasa.gov"
    `);
  });

  test("the parser warns about language tags with a region", () => {
    expect(formatDiagnostics("lang:en-US")).toMatchInlineSnapshot(`
      "language_region: lang:en-us finds only posts marked en-us, but most in that language are marked only en (at offset 5), 5 long
        write lang:en to find both"
    `);
    expect(formatDiagnostics("lang:zh-CN lang:zh-tw lang:pt-br")).toBe("");
  });

  test("the parser warns about an empty window", () => {
    expect(formatDiagnostics("within_time:0d")).toMatchInlineSnapshot(`
      "empty_window: within_time:0d covers no time, so nothing matches (at offset 12), 2 long
        use a longer duration, such as within_time:1d"
    `);
  });

  test("the parser reports a single error for an opening quotation mark at the end", () => {
    expect(formatDiagnostics('from:nasa"')).toMatchInlineSnapshot(`
      "unclosed_quote: unclosed " (at offset 9), 1 long
        add " where the phrase ends, or remove the ""
    `);
  });
});

describe("a hint suggests the most likely meaning", () => {
  test.each([
    ["min_faves>=100", "did you mean min_faves:100"],
    ["-!sun", "write sun"],
    ["from:nasa !esa", "write -esa"],
    ["from :nasa", "remove the space: from:nasa"],
    ["from: nasa", "remove the space: from:nasa"],
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
    ["limit:10", "remove it: set the number of posts with max_results"],
    ["sort:latest", "remove it: a query does not set the order of posts"],
    ["id:1001", "use the method getbyid for a post, or conversation_id:1001 for its conversation"],
    [
      "views:1000",
      "remove it: the supported counts are min_faves:, min_retweets:, min_replies: and min_quotes:",
    ],
    ["intitle:moon", "remove it: posts have no titles or file types"],
    ["filter:tweets", "did you mean -filter:retweets"],
    ["-filter:originals", "did you mean filter:retweets"],
    ["exclude:tweets", "did you mean filter:retweets"],
    ["filter:photo", "did you mean filter:images"],
    ["has:gif", "did you mean has:videos"],
    ["filter:top", "remove it: a query does not set the order of posts"],
    ["filter:follow", "use a value such as filter:retweets"],
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
    ["until:tomorrow", "remove it: no post is from the future"],
    ["since:2024-01-01..2024-02-01", "write since:2024-01-01 until:2024-02-01"],
    ["since:01/02/2024", "write since:2024-02-01 or since:2024-01-02"],
    ["since:25/12/2023", "write since:2023-12-25"],
    ["since:2024-13-01", "write since:2024-01-13"],
    ["since:2024-02-30", "write since:2024-02-29"],
    ["until:2024-02-30", "write until:2024-03-01"],
    ["since:2024", "write since:2024-01-01"],
    ["since:Jan-2024", "write since:2024-01-01"],
    ["within_time:1month", "write within_time:30d"],
  ])("the hint for %s is: %s", (query, hint) => {
    expect(hints(query)).toBe(hint);
    const suggestion = /^(?:did you mean|write) ([^ ]+:.*|[@#-].*|\(.*\))$/.exec(hint)?.[1];
    for (const text of suggestion?.split(/(?<!\(.*) or /) ?? []) {
      expect(formatDiagnostics(text)).toBe("");
    }
  });

  test("a misspelled name gets no suggestion if the operator is unavailable or the value is invalid", () => {
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

describe("the tree shows the words that are searched for", () => {
  test.each([
    ["moon", "word moon"],
    ["Moon", "word Moon"],
    ["café", "word café"],
    ["C++", "word c (written C++)"],
    [".NET", "word net (written .NET)"],
    ["moon-sun", "adjacent words moon sun (written moon-sun)"],
    ['"full moon"', 'phrase "full moon"'],
    ['"* landing"', 'phrase "landing" (written "* landing")'],
    ['"one * step"', 'phrase "one * step"'],
    ['"10:00"', 'phrase "10 00" (written "10:00")'],
    ["東京タワー", "word 東京タワー"],
    ["👍🏽", "word 👍🏽"],
    ["min_faves:1", "at least 1 like"],
    ["-min_faves:1", "fewer than 1 like, or an unknown number"],
    ["-min_replies:2", "fewer than 2 replies, or an unknown number"],
  ])("the tree of the query %s is shown as: %s", (query, drawn) => {
    expect(describeTree(parseQuery(query).tree)).toBe(drawn);
  });
});
