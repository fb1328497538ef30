import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeTree } from "../tree/describe.ts";
import { diagnosticCodes, diagnosticLine, renderDiagnostic } from "../tree/diagnostics.ts";
import { postProperties } from "../tree/tree.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

function queryDiagnostics(query: string, maxLength = 4096): string {
  const { diagnostics } = parseQueryLeniently(query, { maxLength });
  return diagnostics
    .map(
      (diagnostic) =>
        `${diagnostic.code}: ${diagnosticLine(diagnostic)}\n  ${diagnostic.hint ?? ""}`,
    )
    .join("\n");
}

describe("diagnostics have stable messages, spans and hints", () => {
  test("diagnostics report problems with the query as a whole", () => {
    expect(queryDiagnostics("")).toMatchInlineSnapshot(`
      "empty_query: the query is empty (at offset 0)
        add a word, hashtag, username or operator"
    `);
    expect(queryDiagnostics("abcdef", 5)).toMatchInlineSnapshot(`
      "query_too_long: the query has 6 characters; the maximum is 5 (at offset 5)
        split the query"
    `);
    expect(queryDiagnostics(`${"(".repeat(21)}a${")".repeat(21)}`)).toMatchInlineSnapshot(`
      "query_too_deep: groups nest deeper than 20 (at offset 20)
        remove redundant parentheses, or split the query"
    `);
    expect(queryDiagnostics("a ".repeat(257))).toMatchInlineSnapshot(`
      "too_many_terms: the query has more than 256 terms (at offset 512)
        split the query"
    `);
  });

  test("diagnostics report problems with quotes and groups", () => {
    expect(queryDiagnostics('nasa "artemis')).toMatchInlineSnapshot(`
      "unclosed_quote: unclosed " (at offset 5)
        add " where the phrase ends, or remove the ""
    `);
    expect(queryDiagnostics("nasa 「月")).toMatchInlineSnapshot(`
      "unclosed_quote: unclosed 「 (at offset 5)
        add 」 where the phrase ends, or remove the 「"
    `);
    expect(queryDiagnostics("(nasa")).toMatchInlineSnapshot(`
      "unclosed_group: unclosed ( (at offset 0)
        add the ) where the group ends, or remove the ("
    `);
    expect(queryDiagnostics("nasa)")).toMatchInlineSnapshot(`
      "unopened_group: unmatched ) (at offset 4)
        add the ( or remove the )"
    `);
    expect(queryDiagnostics("nasa ()")).toMatchInlineSnapshot(`
      "empty_group: empty group (at offset 5)
        add terms between the parentheses, or remove them"
    `);
  });

  test("diagnostics report problems with keywords and signs", () => {
    expect(queryDiagnostics("nasa OR")).toMatchInlineSnapshot(`
      "missing_term: OR requires a term on both sides (at offset 5)
        add the missing term, or write "OR" in quotes to search for the word"
    `);
    expect(queryDiagnostics("nasa NOT")).toMatchInlineSnapshot(`
      "missing_term: NOT requires a term after it (at offset 5)
        add the term to exclude"
    `);
    expect(queryDiagnostics("nasa OR esa launch")).toMatchInlineSnapshot(`
      "or_binds_tighter: OR binds tighter than a space (at offset 0)
        parsed as (nasa OR esa) launch; put parentheses around the terms that belong together"
    `);
    expect(queryDiagnostics("nasa or esa")).toMatchInlineSnapshot(`
      "lower_case_or: "or" is searched for as a word (at offset 5)
        write OR in capitals for alternatives"
    `);
    expect(queryDiagnostics("nasa - esa")).toMatchInlineSnapshot(`
      "stray_minus: a minus without a term after it has no effect (at offset 5)
        write -word without a space to exclude a word"
    `);
    expect(queryDiagnostics('"nasa"-esa')).toMatchInlineSnapshot(`
      "stray_minus: a minus without a space before it does not exclude a term (at offset 6)
        put a space before the minus to exclude the term after it"
    `);
    expect(queryDiagnostics("nasa –esa")).toMatchInlineSnapshot(`
      "dash_is_not_minus: – is a dash, not a minus, and does not exclude a term (at offset 5)
        write -esa"
    `);
  });

  test("diagnostics report problems with words", () => {
    expect(queryDiagnostics("foo*")).toMatchInlineSnapshot(`
      "wildcard_not_available: foo* contains a *, but wildcards within words are not supported (at offset 0)
        list the forms of the word instead, as in (run OR runs OR running); within quotes, a separate * matches any one word"
    `);
    expect(queryDiagnostics("nasa !!!")).toMatchInlineSnapshot(`
      "nothing_to_search: !!! contains nothing to search for, so it is ignored (at offset 5)
        write a minus right before a term to exclude it"
    `);
    expect(queryDiagnostics('nasa ""')).toMatchInlineSnapshot(`
      "nothing_to_search: an empty phrase contains nothing to search for, so it is ignored (at offset 5)
        use words, numbers, emoji, emoticons or a separate ?"
    `);
    expect(queryDiagnostics("nasa | esa")).toMatchInlineSnapshot(`
      "nothing_to_search: | contains nothing to search for, so it is ignored (at offset 5)
        write OR between alternatives"
    `);
    expect(queryDiagnostics("nasa *")).toMatchInlineSnapshot(`
      "nothing_to_search: * contains nothing to search for, so it is ignored (at offset 5)
        use a separate * within quotes for any one word"
    `);
    expect(queryDiagnostics("#123")).toMatchInlineSnapshot(`
      "not_a_hashtag: #123 is not a hashtag, so its words are searched for (at offset 0)
        write 123 if you mean the word"
    `);
    expect(queryDiagnostics("@naïve")).toMatchInlineSnapshot(`
      "not_a_mention: @naïve is not a username, so its words are searched for (at offset 0)
        write naïve if you mean the word"
    `);
  });

  test("diagnostics report problems with operator names", () => {
    expect(queryDiagnostics("re:invent")).toMatchInlineSnapshot(`
      "unknown_operator: re: is not an operator, so its words are searched for as a phrase (at offset 0)
        put it in quotes if you mean the phrase"
    `);
    expect(queryDiagnostics("frm:nasa")).toMatchInlineSnapshot(`
      "unknown_operator: frm: is not an operator, so its words are searched for as a phrase (at offset 0)
        did you mean from:nasa"
    `);
    expect(queryDiagnostics("did:plc:abc")).toMatchInlineSnapshot(`
      "unknown_operator: did: is not an operator, so its words are searched for as a phrase (at offset 0)
        did you mean from:did:plc:abc"
    `);
    expect(queryDiagnostics("from :nasa")).toMatchInlineSnapshot(`
      "space_before_colon: "from" is searched for as a word, because a space separates it from its colon (at offset 0)
        remove the space: from:nasa"
    `);
    expect(queryDiagnostics('near:"The Hague"')).toMatchInlineSnapshot(`
      "operator_not_available: near: is not supported: it requires a gazetteer (at offset 0)
        use geocode:<latitude>,<longitude>,<radius> with the coordinates of The Hague"
    `);
    expect(queryDiagnostics("filter:retwets")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of filter: retwets (at offset 7)
        did you mean filter:retweets"
    `);
    expect(queryDiagnostics("filter:pictures")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of filter: pictures (at offset 7)
        did you mean filter:images"
    `);
    expect(queryDiagnostics("nasa include:nativeretweets")).toMatchInlineSnapshot(`
      "no_effect: include:nativeretweets has no effect: reposts are included by default (at offset 5)
        remove it; -filter:retweets excludes reposts, filter:retweets finds only reposts"
    `);
    expect(queryDiagnostics("nasa -include:nativeretweets")).toMatchInlineSnapshot(`
      "unknown_filter: include: cannot be negated (at offset 6)
        write -filter:retweets to exclude reposts"
    `);
  });

  test("diagnostics report missing values and lists of values", () => {
    expect(queryDiagnostics("from: nasa")).toMatchInlineSnapshot(`
      "missing_operand: from: requires a value (at offset 0)
        remove the space: from:nasa"
    `);
    expect(queryDiagnostics("from:")).toMatchInlineSnapshot(`
      "missing_operand: from: requires a value (at offset 0)
        write the value right after the colon, or put "from" in quotes to search for the word"
    `);
    expect(queryDiagnostics("from:(a OR b)")).toMatchInlineSnapshot(`
      "one_value_only: from: must have one value, not a group (at offset 0)
        write (from:a OR from:b)"
    `);
    expect(queryDiagnostics("from:a,b")).toMatchInlineSnapshot(`
      "one_value_only: from: must have one value, not a,b (at offset 5)
        write (from:a OR from:b)"
    `);
    expect(queryDiagnostics("from:nasa,")).toMatchInlineSnapshot(`
      "one_value_only: from: must have one value, not nasa, (at offset 5)
        write from:nasa"
    `);
  });

  test("diagnostics report problems with users, languages and links", () => {
    expect(queryDiagnostics("from:a!b")).toMatchInlineSnapshot(`
      "invalid_user: from: must be a username, not a!b (at offset 5)
        use a value such as from:nasa"
    `);
    expect(queryDiagnostics("from:https://x.com/nasa")).toMatchInlineSnapshot(`
      "invalid_user: from: must be a username, not https://x.com/nasa (at offset 5)
        write from:nasa"
    `);
    expect(queryDiagnostics("lang:e")).toMatchInlineSnapshot(`
      "invalid_language: lang: must be a language code, not e (at offset 5)
        use a value such as lang:en"
    `);
    expect(queryDiagnostics("lang:english")).toMatchInlineSnapshot(`
      "unknown_language: unknown language code english: no posts match (at offset 5)
        did you mean lang:en"
    `);
    expect(queryDiagnostics("lang:qq")).toMatchInlineSnapshot(`
      "unknown_language: unknown language code qq: no posts match (at offset 5)
        use an ISO 639 code such as en"
    `);
    expect(queryDiagnostics('url:"//"')).toMatchInlineSnapshot(`
      "invalid_url: url: must be a URL or a part of one, not // (at offset 4)
        use a value such as url:"nasa.gov/artemis""
    `);
  });

  test("diagnostics report problems with dates", () => {
    expect(queryDiagnostics("since:2021-1-5")).toMatchInlineSnapshot(`
      "invalid_date: since: must be a date as yyyy-mm-dd, not 2021-1-5 (at offset 6)
        write since:2021-01-05"
    `);
    expect(queryDiagnostics("since:2021/01/05")).toMatchInlineSnapshot(`
      "invalid_date: since: must be a date as yyyy-mm-dd, not 2021/01/05 (at offset 6)
        write since:2021-01-05"
    `);
    expect(queryDiagnostics("since:20210105")).toMatchInlineSnapshot(`
      "invalid_date: since: must be a date as yyyy-mm-dd, not 20210105 (at offset 6)
        write since:2021-01-05"
    `);
    expect(queryDiagnostics("since:yesterday")).toMatchInlineSnapshot(`
      "invalid_date: since: must be a date as yyyy-mm-dd, not yesterday (at offset 6)
        write within_time:2d"
    `);
    expect(queryDiagnostics("since:2021-02-30")).toMatchInlineSnapshot(`
      "invalid_date: since:2021-02-30 is not a date: 2021-02 has 28 days (at offset 6)
        write since:2021-02-28"
    `);
    expect(queryDiagnostics("since:2021-13-01")).toMatchInlineSnapshot(`
      "invalid_date: since:2021-13-01 is not a date: months are 01 to 12 (at offset 6)
        write since:2021-01-13"
    `);
    expect(queryDiagnostics("since:2021-01-05_25:00:00_UTC")).toMatchInlineSnapshot(`
      "invalid_date: since:2021-01-05_25:00:00_UTC is not a time of day (at offset 6)
        use hours from 00 to 23, minutes and seconds from 00 to 59"
    `);
    expect(queryDiagnostics("since:2021-01-05_10:00:00")).toMatchInlineSnapshot(`
      "invalid_date: since:2021-01-05_10:00:00 has a time without a zone (at offset 6)
        add a zone: since:2021-01-05_10:00:00_UTC"
    `);
    expect(queryDiagnostics("since:2021-01-05T10:00:00")).toMatchInlineSnapshot(`
      "invalid_date: since:2021-01-05T10:00:00 has a time without a zone (at offset 6)
        add a zone: since:2021-01-05T10:00:00_UTC"
    `);
    expect(queryDiagnostics("since:2021-01-05_10:00:00_XYZ")).toMatchInlineSnapshot(`
      "invalid_date: since: unknown time zone XYZ (at offset 6)
        use UTC or an offset, as in 2024-01-02T03:04:05+02:00"
    `);
    expect(queryDiagnostics("since:2021-01-05T10:00:00+99:00")).toMatchInlineSnapshot(`
      "invalid_date: since: unknown time zone +99:00 (at offset 6)
        use UTC or an offset, as in 2024-01-02T03:04:05+02:00"
    `);
    expect(queryDiagnostics("since:0000-01-05")).toMatchInlineSnapshot(`
      "invalid_date: since:0000-01-05 is outside the years 0001 to 9999 (at offset 6)
        "
    `);
    expect(queryDiagnostics("since:2021-01-05 until:2021-01-05")).toMatchInlineSnapshot(`
      "empty_window: no post matches both since:2021-01-05 and until:2021-01-05 (at offset 17)
        until: is exclusive: write the day after the last one"
    `);
  });

  test("diagnostics report problems with counts", () => {
    expect(queryDiagnostics("min_faves:1k")).toMatchInlineSnapshot(`
      "invalid_count: min_faves: must be a whole number, not 1k (at offset 10)
        write min_faves:1000"
    `);
    expect(queryDiagnostics("min_faves:1,000")).toMatchInlineSnapshot(`
      "invalid_count: min_faves: must be a whole number, not 1,000 (at offset 10)
        write min_faves:1000"
    `);
    expect(queryDiagnostics("min_likes:-5")).toMatchInlineSnapshot(`
      "invalid_count: min_likes: must be a whole number, not -5 (at offset 10)
        use a value such as min_likes:100"
    `);
  });

  test("diagnostics report problems with geographic places", () => {
    expect(queryDiagnostics("geocode:37.7,-122.4")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: must be latitude,longitude,radius, not 37.7,-122.4 (at offset 8)
        use a value such as geocode:37.7764,-122.4172,10km"
    `);
    expect(queryDiagnostics("geocode:37.7, -122.4, 10km")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: must be latitude,longitude,radius, not 37.7, (at offset 8)
        remove the spaces after the commas, as in geocode:37.7764,-122.4172,10km"
    `);
    expect(queryDiagnostics("geocode:north,-122.4,10km")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: must be latitude and longitude as decimal degrees, not north,-122.4 (at offset 8)
        use a value such as geocode:37.7764,-122.4172,10km; south and west are negative"
    `);
    expect(queryDiagnostics("geocode:37.7,-122.4,10")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: the radius must be in km or mi, not 10 (at offset 8)
        write 10km or 10mi"
    `);
    expect(queryDiagnostics("geocode:37.7,-122.4,far")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: the radius must be in km or mi, not far (at offset 8)
        write the radius with its unit, as in geocode:37.7764,-122.4172,10km"
    `);
    expect(queryDiagnostics("geocode:-122.4,37.7,10km")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: latitude -122.4 is outside -90 to 90 (at offset 8)
        put the latitude first: geocode:37.7,-122.4,10km"
    `);
    expect(queryDiagnostics("geocode:37.7,200,10km")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: longitude 200 is outside -180 to 180 (at offset 8)
        "
    `);
    expect(queryDiagnostics("geocode:37.7,-122.4,0km")).toMatchInlineSnapshot(`
      "invalid_geocode: geocode: the radius must be above 0 and up to 50000 km, not 0km (at offset 8)
        "
    `);
  });
});

describe("rendering for a terminal", () => {
  const renderQuery = (query: string): string => {
    const { diagnostics } = parseQueryLeniently(query);
    return diagnostics.map((diagnostic) => renderDiagnostic(query, diagnostic)).join("\n");
  };

  test("the terminal rendering of a diagnostic puts carets under the span", () => {
    expect(renderQuery("nasa since:2021-1-5 launch")).toMatchInlineSnapshot(`
      "error[invalid_date]: since: must be a date as yyyy-mm-dd, not 2021-1-5 (at offset 11)
        nasa since:2021-1-5 launch
                   ^^^^^^^^
        hint: write since:2021-01-05
        expected: yyyy-mm-dd, yyyy-mm-dd_hh:mm:ss_UTC, yyyy-mm-ddThh:mm:ssZ"
    `);
  });

  test("the terminal rendering of a diagnostic counts the columns of wide characters, marks and emoji", () => {
    expect(renderQuery("東京タワー 👍🏽 e\u0301 since:x")).toMatchInlineSnapshot(`
      "error[invalid_date]: since: must be a date as yyyy-mm-dd, not x (at offset 18)
        東京タワー 👍🏽 é since:x
                                ^
        hint: write a date such as since:2024-01-31
        expected: yyyy-mm-dd, yyyy-mm-dd_hh:mm:ss_UTC, yyyy-mm-ddThh:mm:ssZ"
    `);
  });

  test("the terminal rendering of a diagnostic cuts a long query around the span", () => {
    expect(renderQuery(`${"word ".repeat(60)}since:x${" word".repeat(60)}`)).toMatchInlineSnapshot(`
      "error[invalid_date]: since: must be a date as yyyy-mm-dd, not x (at offset 306)
        … word word word word word since:x word word word word word word word word word word word word wo…
                                         ^
        hint: write a date such as since:2024-01-31
        expected: yyyy-mm-dd, yyyy-mm-dd_hh:mm:ss_UTC, yyyy-mm-ddThh:mm:ssZ"
    `);
  });

  test("the terminal rendering of a diagnostic replaces line breaks and control characters in the query", () => {
    const query = "a\u001b[31m\nb\u202e since:x";
    expect(renderQuery(query)).toMatchInlineSnapshot(`
      "error[invalid_date]: since: must be a date as yyyy-mm-dd, not x (at offset 16)
        a�[31m b� since:x
                        ^
        hint: write a date such as since:2024-01-31
        expected: yyyy-mm-dd, yyyy-mm-dd_hh:mm:ss_UTC, yyyy-mm-ddThh:mm:ssZ"
    `);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that they are absent
    expect(renderQuery(query)).not.toMatch(/[\u001b\u202e]/);
  });
});

test("every diagnostic code has a pinned message in this file or in the tests of operator messages and foreign syntax", () => {
  const tests = ["diagnostics.test.ts", "operator-messages.test.ts", "foreign-syntax.test.ts"];
  const pinned = tests
    .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
    .join("\n");
  for (const code of Object.keys(diagnosticCodes)) expect(pinned).toMatch(`${code}: `);
});

test("a query tree is printed as indented text", () => {
  const { tree } = parseQuery(
    '(puppy OR "big * cat" #pets $dogs :-D) -(@a from:b) to:c quoted_user_id:d retweets_of:e lang:en since:2021-01-02 ' +
      "until:2021-02-01 within_time:36h since_id:5 max_id:9 -filter:retweets filter:safe min_faves:10 -min_retweets:5 " +
      "geocode:1,2,3mi url:nasa.gov domain:nasa.gov platform:x label:spoiler source:Ivory ?",
  );
  expect(describeTree(tree)).toMatchInlineSnapshot(`
    "all of
    ├─ any of
    │  ├─ word puppy
    │  └─ phrase "big * cat"
    ├─ hashtag #pets
    ├─ cashtag $dogs
    ├─ emoticon :D
    ├─ not
    │  └─ all of
    │     ├─ mention of @a
    │     └─ posted by b
    ├─ a reply to c
    ├─ quotes a post by d
    ├─ reposts a post by e
    ├─ language en
    ├─ at or after 2021-01-02T00:00:00.000Z
    ├─ before 2021-02-01T00:00:00.000Z
    ├─ within the last 36h
    ├─ ID above 5
    ├─ ID up to 9
    ├─ not
    │  └─ a repost
    ├─ not marked as sensitive
    ├─ at least 10 likes
    ├─ fewer than 5 reposts, or an unknown number
    ├─ within 4.828032 km of latitude 1, longitude 2
    ├─ URL containing nasa.gov
    ├─ links to nasa.gov or a subdomain
    ├─ on x
    ├─ labelled spoiler
    ├─ written with Ivory
    └─ a question mark"
  `);
});

test("every relation and every property in a query tree has its own description", () => {
  const relations =
    "conversation_id:1 in_reply_to:2 quoted:at://did:plc:a/b/c retweets_of_tweet_id:4";
  const properties = postProperties.map((property) => `filter:${property}`).join(" OR ");
  const { tree } = parseQuery(`${relations} (${properties})`);
  expect(describeTree(tree)).toMatchInlineSnapshot(`
    "all of
    ├─ in the conversation of 1
    ├─ replies to the post 2
    ├─ quotes the post at://did:plc:a/b/c
    ├─ reposts the post 4
    └─ any of
       ├─ a repost
       ├─ a native repost
       ├─ a reply
       ├─ a quote of another post
       ├─ a self-reply
       ├─ not marked as sensitive
       ├─ by a verified author
       ├─ has a link
       ├─ has pictures or videos
       ├─ has a picture
       ├─ has a video
       ├─ has a hashtag
       ├─ mentions someone
       ├─ has a cashtag
       ├─ has coordinates
       └─ has a like, a repost or a reply"
  `);
});
