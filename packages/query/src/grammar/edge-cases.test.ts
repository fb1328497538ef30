import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostSuffixes, parseLink } from "../text/urls.ts";
import { printQuery } from "../tree/print.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

/** The canonical query, followed by `!code` for each warning and `!!code` for each error. */
function canonicalWithCodes(query: string): string {
  const { tree, diagnostics } = parseQueryLeniently(query);
  const codes = diagnostics.map(({ severity, code }) =>
    severity === "error" ? ` !!${code}` : ` !${code}`,
  );
  return `${tree === null ? "" : printQuery(tree)}${codes.join("")}`.trim();
}

describe("phrases", () => {
  test.each([
    [`"don't"`, `"don't"`],
    ['"state-of-the-art"', '"state-of-the-art"'],
    ['"👍🏽 up"', '"👍🏽 up"'],
    ['"東京 タワー"', '"東京 タワー"'],
    ['"#nasa @esa"', '"#nasa @esa" !not_a_word'],
    ['"nasa"', '"nasa"'],
    ['""', "!nothing_to_search !!empty_query"],
    ['"***"', "!nothing_to_search !!empty_query"],
    ['"* nasa *"', '"* nasa *" !no_effect'],
    ['"nas* moon"', "!!wildcard_not_available"],
    ['"a * * b"', '"a * * b"'],
    ['"one\ntwo"', '"one\ntwo"'],
    ['"see https://nasa.gov now"', '"see https://nasa.gov now" !not_a_word'],
    ['"https://nasa.gov"', 'url:"https://nasa.gov"'],
    ['":)"', ":)"],
    ['"OR" "from:nasa" "near:x"', '"OR" "from:nasa" "near:x"'],
    ['hello" world "', 'hello " world "'],
    ["'New York' x", "'New York' x !single_quotes"],
    ["‘New York’ x", "‘New York’ x !single_quotes"],
    ["rock 'n' roll", "rock 'n' roll"],
    ["'tis (the season')", "'tis the season'"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("hashtags", () => {
  test.each([
    ["＃nasa ﹟nasa #NASA", "#nasa #nasa #nasa"],
    ["#a_b #日本語 #été #covid19", "#a_b #日本語 #été #covid19"],
    ["#1 #123", "#1 #123 !not_a_hashtag !not_a_hashtag"],
    ["a#b", "a#b !sign_left_out"],
    ["##a", "##a !not_a_hashtag"],
    ["#tag's #tag. #tag)", "#tag s #tag #tag !!unopened_group"],
    ["#", "!nothing_to_search !!empty_query"],
    ["#️⃣", "#️⃣"],
    ["https://nasa.gov/#tag", 'url:"https://nasa.gov/#tag"'],
    ["#a#b @c#d", "#a #b @c #d"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("cashtags", () => {
  test.each([
    ["$TWTR ＄twtr", "$twtr $twtr"],
    ["$brk.a $BRK_A", "$brk.a $brk_a"],
    ["$TWTR, $TWTR's $TWTR؟", "$twtr $twtr s $twtr"],
    ["$100 $1.5m US$", "$100 $1.5m US$ !sign_left_out !sign_left_out !sign_left_out"],
    ["$bitcoins $été", "$bitcoins $été !not_a_cashtag !not_a_cashtag"],
    ["-$TWTR", "-$twtr"],
    ["$", "!nothing_to_search !!empty_query"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("accounts", () => {
  test.each([
    ["@NASA ＠nasa ﹫nasa", "@nasa @nasa @nasa"],
    ["@user's @user/list", "@user s @user list"],
    ["a@b.com", "a@b.com"],
    ["@name_of_more_than_fifteen", "@name_of_more_than_fifteen"],
    ["froM:@NASA", "from:nasa"],
    ["from:a from:b", "from:a from:b !contradiction"],
    ["from:nasa from:NASA", "from:nasa from:nasa"],
    ["from:a -from:b", "from:a -from:b"],
    ["(from:a OR from:b)", "from:a OR from:b"],
    ["quoted_user:NASA quoted_user_id:7", "quoted_user_id:nasa quoted_user_id:7"],
    ["retweets_of_user_id:7 retweets_of:@nasa.gov", "retweets_of:7 retweets_of:nasa.gov"],
    ["from:https://x.com/nasa", "!!invalid_user"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("times", () => {
  test.each([
    ["since_time:0", "since:1970-01-01"],
    ["until_time:1562198400", "until:2019-07-04"],
    ["since_time:１５６１７２０３２１", "since:2019-06-28_11:12:01_UTC"],
    ["since_time:253402300799", "since:9999-12-31_23:59:59_UTC"],
    ["since_time:253402300800", "!!invalid_time"],
    ["since_time:1561720321000", "!!invalid_time"],
    ["since_time:-5", "!!invalid_time"],
    ["since_time:1.5", "!!invalid_time"],
    ["within_time:2d within_time:48h", "within_time:2d within_time:2d"],
    ["within_time:36H within_time:90m", "within_time:36h within_time:90m"],
    ["within_time:0s within_time:1500ms", "within_time:0d within_time:1500ms !empty_window"],
    ["within_time:２ｄ", "within_time:2d"],
    ["within_time:2w", "!!invalid_duration"],
    ["within_time:d", "!!invalid_duration"],
    ["within_time:-2d", "!!invalid_duration"],
    ["within_time:9999999999999999d", "!!invalid_duration"],
    ["since:1969-01-01", "since:1969-01-01"],
    ["-since_time:5", "-since:1970-01-01_00:00:05_UTC"],
    ["since:2021-01-02 until:2021-01-02", "since:2021-01-02 until:2021-01-02 !empty_window"],
    ["since:2021-01-03 (x until:2021-01-02)", "since:2021-01-03 x until:2021-01-02 !empty_window"],
    ["since:2021-01-03 OR until:2021-01-02", "since:2021-01-03 OR until:2021-01-02"],
    ["since:2021-01-02 -since:2021-01-03", "since:2021-01-02 -since:2021-01-03"],
    ["since:2021-01-02 -since:2021-01-02", "since:2021-01-02 -since:2021-01-02 !empty_window"],
    ["within_time:1d until:2020-01-01", "within_time:1d until:2020-01-01"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("IDs and posts", () => {
  test.each([
    ["since_id:0 max_id:9223372036854775807", "since_id:0 max_id:9223372036854775807"],
    ["since_id:00020", "since_id:20"],
    ["max_id:9223372036854775808", "!!invalid_id"],
    ["max_id:-1", "!!invalid_id"],
    ["since_id:19 max_id:20", "since_id:19 max_id:20"],
    ["since_id:20 max_id:20", "since_id:20 max_id:20 !empty_window"],
    ["max_id:20 -max_id:20", "max_id:20 -max_id:20 !empty_window"],
    ["conversation_id:0020", "conversation_id:20"],
    ["in_reply_to_status_id:20 in_reply_to_tweet_id:20", "in_reply_to:20 in_reply_to:20"],
    ["quoted_tweet_id:20 retweets_of_tweet_id:20", "quoted:20 retweets_of_tweet_id:20"],
    [
      "quoted:at://did:plc:abc/app.bsky.feed.post/3k",
      'quoted:"at://did:plc:abc/app.bsky.feed.post/3k"',
    ],
    ["quoted:“import:x:0f”", 'quoted:"import:x:0f"'],
    ["quoted:https://x.com/a/status/20?b=(c)", 'quoted:"https://x.com/a/status/20?b=(c)"'],
    ["(quoted:https://x.com/a/status/20)", 'quoted:"https://x.com/a/status/20"'],
    ["quoted:tag:example.org,2026:1", 'quoted:"tag:example.org,2026:1"'],
    ["quoted:20,21", "!!invalid_post"],
    ["quoted:nasa", "!!invalid_post"],
    ['quoted:"two words:x"', "!!invalid_post"],
    ["quoted:99999999999999999999", "!!invalid_post"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("counts and places", () => {
  test.each([
    ["min_faves:0 min_replies:0 min_quotes:0", "min_faves:0 min_replies:0 min_quotes:0"],
    ["min_faves:1.5", "!!invalid_count"],
    ["min_replies:1k", "!!invalid_count"],
    ["min_quotes:", "!!missing_operand"],
    ["min_faves:10 -min_faves:11", "min_faves:10 -min_faves:11"],
    ["min_faves:10 -min_faves:10", "min_faves:10 -min_faves:10 !contradiction"],
    ["geocode:0,179.9,1km", "geocode:0,179.9,1km"],
    ["geocode:-90,-180,20038km", "geocode:-90,-180,20038km"],
    ["geocode:+1.50,-0.0,.5mi", "geocode:1.5,0,0.804672km"],
    ["geocode:0,0,0.0000011mi", "geocode:0,0,0.0000017702784000000002km"],
    ["geocode:91,0,1km", "!!invalid_geocode"],
    ["geocode:0,0,5", "!!invalid_geocode"],
    ["point_radius:[-0.12 51.5 10km] x", "x !!operator_not_available"],
    ["bounding_box:[1 2 3 4](x)", "x !!operator_not_available"],
    [
      "near:x within:5km place:y",
      "!!operator_not_available !!operator_not_available !!operator_not_available",
    ],
    ["point_radius:[1 2 x", "2 x !!operator_not_available"],
    ["geocode:[1 2 3km] x", "x !!invalid_geocode"],
    ["label:[a b]", 'label:"[a" b]'],
    ["re:[a b]", '"re:[a" b] !unknown_operator'],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("links and hosts", () => {
  test.each([
    ["url:t-mobile.com url:t_mobile.com", 'url:"t-mobile.com" url:"t_mobile.com"'],
    ["bit.ly/x", 'url:"bit.ly/x"'],
    ["url:1138631847783608321", 'url:"1138631847783608321"'],
    ["url:localhost:3000/a", 'url:"localhost:3000/a"'],
    ["https://münchen.de/ä?x=(1)", 'url:"https://münchen.de/ä?x=(1)"'],
    ["domain:NASA.gov domain:https://www.nasa.gov/", "domain:nasa.gov domain:nasa.gov"],
    ["domain:.nasa.gov domain:nasa.gov.", "domain:nasa.gov domain:nasa.gov"],
    [
      "domain:xn--bcher-kva.example domain:bücher.example",
      "domain:bücher.example domain:bücher.example",
    ],
    ["domain:ｎａｓａ．gov", "domain:nasa.gov"],
    ["domain:localhost", "domain:localhost"],
    ["domain:nasa", "domain:nasa !one_label_host"],
    ["domain:127.0.0.1", "domain:127.0.0.1"],
    ["domain:nasa.gov/", "domain:nasa.gov"],
    ["domain:nasa.gov/a", "!!invalid_domain"],
    ["domain:nasa.gov?a", "!!invalid_domain"],
    ["domain:nasa.gov#a", "!!invalid_domain"],
    ["domain:nasa.gov:8080", "!!invalid_domain"],
    ["domain:user@nasa.gov", "!!invalid_domain"],
    ["domain:*.nasa.gov", "!!invalid_domain"],
    ["domain:a..b", "!!invalid_domain"],
    ["domain:www.www.nasa.gov", "!!invalid_domain"],
    ["domain:nasa.gov,esa.int", "!!one_value_only"],
    ["domain:[::1]", "!!invalid_domain"],
    [`domain:${"a.".repeat(200)}com`, "!!invalid_domain"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

test("domain: normalizes a host in the same way as the index normalizes the hosts of links", () => {
  fc.assert(
    fc.property(fc.domain(), fc.constantFrom("", "www.", "https://", "."), (host, prefix) => {
      const { tree } = parseQuery(`domain:${prefix}${host.toUpperCase()}`);
      expect(tree).toMatchObject({
        kind: "domain",
        host: hostSuffixes(parseLink(`https://${host}/a`))[0],
      });
    }),
    { numRuns: 500 },
  );
});

describe("kinds, platforms, labels and apps", () => {
  test.each([
    ["filter:LINKS has:link is:links", "filter:links filter:links filter:links"],
    ["exclude:replies -exclude:replies", "-filter:replies filter:replies !contradiction"],
    ["has:engagement is:quotes has:video", "filter:has_engagement filter:quote filter:videos"],
    ["x include:retweets include:nativeretweet", "x !no_effect !no_effect"],
    ["x -include:retweets", "x !!unknown_filter"],
    ["x include:replies", "x !!unknown_filter"],
    ["filter:nonsense", "!!unknown_filter"],
    [
      "is:news has:spaces exclude:nullcast",
      "!!operator_not_available !!operator_not_available !!operator_not_available",
    ],
    ["platform:X", "platform:x"],
    ["platform:twitter OR platform:bsky", "platform:x OR platform:bluesky"],
    ["platform:x platform:mastodon", "platform:x platform:mastodon !contradiction"],
    ["platform:fediverse", "!!unknown_platform"],
    ["label:Graphic-Media -label:!warn", 'label:"graphic-media" -label:"!warn"'],
    ["label:a,b", "!!one_value_only"],
    ['source:"a, b; c" source:Twitter_for_iOS', 'source:"a, b; c" source:"Twitter_for_iOS"'],
    ['source:""', "!!missing_operand"],
    ["source:(a OR b)", "a OR b !!one_value_only"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("emoticons", () => {
  test.each([
    [":) OR :(", ":) OR :("],
    [":-) =) :^) :’( ;-P =D :o", ":) :) :) :( ;P :D :O"],
    ["：）", ":)"],
    [":D! :),", ":D :)"],
    ["-:)", "-:)"],
    ["(launch :)", "launch :) !shared_parenthesis"],
    ["(launch :))", "launch :)"],
    ["(launch :).", "launch :) !shared_parenthesis"],
    ["(a :) OR (b :)", "(a :)) OR (b :)) !shared_parenthesis !shared_parenthesis"],
    ["(a (b :) c)", "a b :) c !shared_parenthesis"],
    ["(a :) b) (c", "a :) b c !!unclosed_group"],
    ["(sad :()", "sad :("],
    ["(a OR :D)", "a OR :D"],
    [":))) x", ":) x"],
    [":foo: x", ":foo: x"],
    ["x:D", '"x:D" !unknown_operator'],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("question marks", () => {
  test.each([
    ["what ?", "what ?"],
    ["？ ؟ ⁉ ⁇ ⸮ \u037e", "? ? ? ? ? ?"],
    ["❓", "❓"],
    ["-?", "-?"],
    ['"?"', "?"],
    ["word? Wort？ OR?", "word Wort OR? !sign_left_out"],
    ["x ;", "x !nothing_to_search"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});

describe("negation and query size", () => {
  test.each([
    ["--x", "x"],
    ["-(a OR -b)", "-(a OR -b)"],
    ["-a -b", "-a -b"],
    ['-"a * b"', '-"a * b"'],
    ["-geocode:1,2,3km", "-geocode:1,2,3km"],
    ["lang:en lang:ru", "lang:en lang:ru"],
    ["is:retweet -is:retweet", "filter:retweets -filter:retweets !contradiction"],
    ["nasa -(NASA OR esa)", "nasa -(NASA OR esa) !contradiction"],
    ["nasa -(nasa esa)", "nasa -(nasa esa)"],
    ["a OR (b -b)", "a OR (b -b) !contradiction"],
  ])("%j is parsed as %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });

  test("the parser accepts 100 alternatives or 255 exclusions, but not 300 exclusions", () => {
    const words = (count: number, sign = "") =>
      Array.from({ length: count }, (_, n) => `${sign}w${n}`);
    expect(parseQuery(words(100).join(" OR ")).warnings).toEqual([]);
    expect(parseQuery(`x ${words(255, "-").join(" ")}`).warnings).toEqual([]);
    expect(canonicalWithCodes(words(300, "-").join(" "))).toMatch(/ !!too_many_terms$/);
  });
});

describe("zero-width characters", () => {
  test.each([
    ["-zero\u200bwidth", "-zero\u200bwidth"],
    ["from:na\u200bsa", "from:nasa"],
    ['label:"\u200espoiler"', 'label:"spoiler"'],
    ["\u200bnasa \u200e", "nasa"],
    ["\u200b-nasa", "-nasa"],
    ["nasa \u200b OR\u200e esa\u200e", "nasa OR esa"],
    ["(nasa\u200b)", "nasa"],
  ])("zero-width characters neither separate nor match anything: %j", (query, expected) => {
    expect(canonicalWithCodes(query)).toBe(expected);
  });
});
