import { describe, expect, test } from "vitest";
import { diagnosticLine } from "../tree/diagnostics.ts";
import { parseQueryLeniently } from "./parse.ts";

function formatMessage(query: string): string {
  const { diagnostics } = parseQueryLeniently(query);
  return diagnostics
    .map(({ code, hint = "", expected = [], ...rest }) =>
      [
        `${code}: ${diagnosticLine({ code, ...rest })}, ${rest.length} long`,
        `  ${hint}`,
        ...(expected.length > 0 ? [`  expected: ${expected.join(", ")}`] : []),
      ].join("\n"),
    )
    .join("\n");
}

describe("messages about operators", () => {
  test("messages explain invalid times", () => {
    expect(formatMessage("since:1561720321")).toMatchInlineSnapshot(`
      "invalid_date: since: must be a date as yyyy-mm-dd, not 1561720321 (at offset 6), 10 long
        write since_time:1561720321
        expected: yyyy-mm-dd, yyyy-mm-dd_hh:mm:ss_UTC, yyyy-mm-ddThh:mm:ssZ"
    `);
    expect(formatMessage("since_time:1561720321000")).toMatchInlineSnapshot(`
      "invalid_time: since_time: must be a Unix time in seconds, not 1561720321000 (at offset 11), 13 long
        write since_time:1561720321, in seconds
        expected: seconds since 1970-01-01 in plain digits"
    `);
    expect(formatMessage("until_time:2021-01-05")).toMatchInlineSnapshot(`
      "invalid_time: until_time: must be a Unix time in seconds, not 2021-01-05 (at offset 11), 10 long
        write until:2021-01-05 for a date
        expected: seconds since 1970-01-01 in plain digits"
    `);
    expect(formatMessage("since_time:now")).toMatchInlineSnapshot(`
      "invalid_time: since_time: must be a Unix time in seconds, not now (at offset 11), 3 long
        use a value such as since_time:1561720321
        expected: seconds since 1970-01-01 in plain digits"
    `);
    expect(formatMessage("within_time:2w")).toMatchInlineSnapshot(`
      "invalid_duration: within_time: must be a number of days, hours, minutes or seconds, not 2w (at offset 12), 2 long
        write within_time:14d
        expected: 2d, 3h, 5m, 30s, 500ms"
    `);
    expect(formatMessage('within_time:"2 days"')).toMatchInlineSnapshot(`
      "invalid_duration: within_time: must be a number of days, hours, minutes or seconds, not 2 days (at offset 12), 8 long
        write within_time:2d
        expected: 2d, 3h, 5m, 30s, 500ms"
    `);
    expect(formatMessage("within_time:1.5h")).toMatchInlineSnapshot(`
      "invalid_duration: within_time: must be a number of days, hours, minutes or seconds, not 1.5h (at offset 12), 4 long
        write within_time:90m
        expected: 2d, 3h, 5m, 30s, 500ms"
    `);
    expect(formatMessage("within_time:2")).toMatchInlineSnapshot(`
      "invalid_duration: within_time: must be a number of days, hours, minutes or seconds, not 2 (at offset 12), 1 long
        add a unit: within_time:2d, within_time:2h or within_time:2m
        expected: 2d, 3h, 5m, 30s, 500ms"
    `);
    expect(formatMessage("within_time:soon")).toMatchInlineSnapshot(`
      "invalid_duration: within_time: must be a number of days, hours, minutes or seconds, not soon (at offset 12), 4 long
        use a value such as within_time:36h
        expected: 2d, 3h, 5m, 30s, 500ms"
    `);
  });

  test("messages explain invalid IDs and posts", () => {
    expect(formatMessage("since_id:abc")).toMatchInlineSnapshot(`
      "invalid_id: since_id: must be the ID of a post, not abc (at offset 9), 3 long
        use a value such as since_id:1138872932887924737
        expected: an ID in plain digits, up to 9223372036854775807"
    `);
    expect(formatMessage("max_id:9223372036854775808")).toMatchInlineSnapshot(`
      "invalid_id: max_id: must be the ID of a post, not 9223372036854775808 (at offset 7), 19 long
        IDs go up to 9223372036854775807
        expected: an ID in plain digits, up to 9223372036854775807"
    `);
    expect(formatMessage("since_id:https://x.com/nasa/status/20")).toMatchInlineSnapshot(`
      "invalid_id: since_id: must be the ID of a post, not https://x.com/nasa/status/20 (at offset 9), 28 long
        write since_id:20
        expected: an ID in plain digits, up to 9223372036854775807"
    `);
    expect(formatMessage("quoted:nasa")).toMatchInlineSnapshot(`
      "invalid_post: quoted: must be a post, not nasa (at offset 7), 4 long
        use a value such as quoted:1138631847783608321 or quoted:"at://did:plc:…/app.bsky.feed.post/…"
        expected: an ID in plain digits, a uri, the URL of a post on X or Bluesky"
    `);
    expect(formatMessage("quoted:x.com/nasa/status/20")).toMatchInlineSnapshot(`
      "invalid_post: quoted: must be a post, not x.com/nasa/status/20 (at offset 7), 20 long
        write quoted:https://x.com/nasa/status/20
        expected: an ID in plain digits, a uri, the URL of a post on X or Bluesky"
    `);
    expect(formatMessage("in_reply_to:at://nasa.gov/app.bsky.feed.post/3k")).toMatchInlineSnapshot(`
      "invalid_post: in_reply_to: must be a post, not at://nasa.gov/app.bsky.feed.post/3k (at offset 12), 35 long
        write in_reply_to:https://bsky.app/profile/nasa.gov/post/3k
        expected: an ID in plain digits, a uri, the URL of a post on X or Bluesky"
    `);
  });

  test("messages explain invalid hosts and platforms", () => {
    expect(formatMessage("domain:nasa.gov/artemis")).toMatchInlineSnapshot(`
      "invalid_domain: domain: must be only a host, not nasa.gov/artemis (at offset 7), 16 long
        write url:"nasa.gov/artemis" to find a path
        expected: a host such as nasa.gov"
    `);
    expect(formatMessage("domain:nasa.gov:8080")).toMatchInlineSnapshot(`
      "invalid_domain: domain: must be only a host, not nasa.gov:8080 (at offset 7), 13 long
        write domain:nasa.gov
        expected: a host such as nasa.gov"
    `);
    expect(formatMessage("domain:*.nasa.gov")).toMatchInlineSnapshot(`
      "invalid_domain: domain: must be only a host, not *.nasa.gov (at offset 7), 10 long
        write domain:nasa.gov
        expected: a host such as nasa.gov"
    `);
    expect(formatMessage("domain:a..b")).toMatchInlineSnapshot(`
      "invalid_domain: domain: must be only a host, not a..b (at offset 7), 4 long
        use a value such as domain:nasa.gov
        expected: a host such as nasa.gov"
    `);
    expect(formatMessage("domain:nasa")).toMatchInlineSnapshot(`
      "one_label_host: domain:nasa matches only links whose host is exactly nasa (at offset 7), 4 long
        write the host in full, as in domain:nasa.com, or url:nasa to find it within any link"
    `);
    expect(formatMessage("platform:mastodn")).toMatchInlineSnapshot(`
      "unknown_platform: unknown value of platform: mastodn (at offset 9), 7 long
        did you mean platform:mastodon
        expected: bluesky, mastodon, x"
    `);
    expect(formatMessage("platform:twiter")).toMatchInlineSnapshot(`
      "unknown_platform: unknown value of platform: twiter (at offset 9), 6 long
        did you mean platform:x
        expected: bluesky, mastodon, x"
    `);
    expect(formatMessage("platform:facebook")).toMatchInlineSnapshot(`
      "unknown_platform: unknown value of platform: facebook (at offset 9), 8 long
        write platform:bluesky or platform:mastodon or platform:x
        expected: bluesky, mastodon, x"
    `);
  });

  test("messages explain invalid kinds of posts", () => {
    expect(formatMessage("is:rply")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of is: rply (at offset 3), 4 long
        did you mean is:reply
        expected: retweets, nativeretweets, replies, quote, self_threads, safe, verified, links, media, images, videos, hashtags, mentions, cashtags, geo, has_engagement"
    `);
    expect(formatMessage("has:pictures")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of has: pictures (at offset 4), 8 long
        did you mean has:images
        expected: links, media, images, videos, hashtags, mentions, cashtags, geo, engagement"
    `);
    expect(formatMessage("has:nothing")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of has: nothing (at offset 4), 7 long
        use a value such as has:images
        expected: links, media, images, videos, hashtags, mentions, cashtags, geo, engagement"
    `);
    expect(formatMessage("is:nothing")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of is: nothing (at offset 3), 7 long
        use a value such as is:reply
        expected: retweets, nativeretweets, replies, quote, self_threads, safe, verified, links, media, images, videos, hashtags, mentions, cashtags, geo, has_engagement"
    `);
    expect(formatMessage("filter:retweets,replies")).toMatchInlineSnapshot(`
      "one_value_only: filter: must have one value, not retweets,replies (at offset 7), 16 long
        write (filter:retweets OR filter:replies)"
    `);
    expect(formatMessage("include:replies")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of include: replies (at offset 8), 7 long
        use filter:replies for only these posts, -filter:replies to exclude them
        expected: retweets, nativeretweets"
    `);
    expect(formatMessage("include:nothing")).toMatchInlineSnapshot(`
      "unknown_filter: unknown value of include: nothing (at offset 8), 7 long
        use filter:retweets for only these posts, -filter:retweets to exclude them
        expected: retweets, nativeretweets"
    `);
  });

  test("messages explain unavailable operators", () => {
    expect(formatMessage('near:"The Hague" within:15mi')).toMatchInlineSnapshot(`
      "operator_not_available: near: is not supported: it requires a gazetteer (at offset 0), 16 long
        use geocode:<latitude>,<longitude>,<radius> with the coordinates of The Hague
      operator_not_available: within: is not supported: it requires a gazetteer (at offset 17), 11 long
        use geocode:<latitude>,<longitude>,15mi"
    `);
    expect(formatMessage("near:me")).toMatchInlineSnapshot(`
      "operator_not_available: near: is not supported: it requires a gazetteer (at offset 0), 7 long
        use geocode:<latitude>,<longitude>,<radius>"
    `);
    expect(formatMessage("place:96683cc9126741d1")).toMatchInlineSnapshot(`
      "operator_not_available: place: is not supported: it requires a gazetteer (at offset 0), 22 long
        use geocode:<latitude>,<longitude>,<radius>"
    `);
    expect(formatMessage("point_radius:[-0.12 51.5 10km]")).toMatchInlineSnapshot(`
      "operator_not_available: point_radius: is not supported: it describes an area other than a circle (at offset 0), 30 long
        use geocode:51.5,-0.12,10km"
    `);
    expect(formatMessage("point_radius:[here]")).toMatchInlineSnapshot(`
      "operator_not_available: point_radius: is not supported: it describes an area other than a circle (at offset 0), 19 long
        use geocode:<latitude>,<longitude>,<radius>"
    `);
    expect(formatMessage("bounding_box:[-0.5 51.3 0.3 51.7]")).toMatchInlineSnapshot(`
      "operator_not_available: bounding_box: is not supported: it describes an area other than a circle (at offset 0), 33 long
        use geocode:<latitude>,<longitude>,<radius>"
    `);
    expect(formatMessage("list:esa/astronauts")).toMatchInlineSnapshot(`
      "operator_not_available: list: is not supported: it uses the members of a list, which only the platform knows (at offset 0), 19 long
        name the accounts, for example (from:nasa OR from:esa)"
    `);
    expect(formatMessage("filter:follows")).toMatchInlineSnapshot(`
      "operator_not_available: filter:follows is not supported: it depends on the accounts that a user follows, but a key follows none (at offset 0), 14 long
        name the accounts, for example (from:nasa OR from:esa)"
    `);
    expect(formatMessage("exclude:nullcast")).toMatchInlineSnapshot(`
      "operator_not_available: exclude:nullcast is not supported: it selects advertisements, which no source provides (at offset 0), 16 long
        remove it, or put it in quotes to search for its words"
    `);
    expect(formatMessage("has:spaces")).toMatchInlineSnapshot(`
      "operator_not_available: has:spaces is not supported: it names a service of X that no source identifies (at offset 0), 10 long
        use domain: with the service's host, or has:videos"
    `);
    expect(formatMessage("card_domain:pscp.tv")).toMatchInlineSnapshot(`
      "operator_not_available: card_domain: is not supported: it uses the card of a link, which is not stored (at offset 0), 19 long
        use domain:pscp.tv"
    `);
    expect(formatMessage("card_name:player")).toMatchInlineSnapshot(`
      "operator_not_available: card_name: is not supported: it uses the card of a link, which is not stored (at offset 0), 16 long
        use domain: or url:"
    `);
    expect(formatMessage("context:123.456")).toMatchInlineSnapshot(`
      "operator_not_available: context: is not supported: it uses X's annotations, which no source provides (at offset 0), 15 long
        use words or hashtags"
    `);
  });

  test("messages explain names from other products", () => {
    expect(formatMessage("author:nasa")).toMatchInlineSnapshot(`
      "unknown_operator: author: is not an operator, so its words are searched for as a phrase (at offset 0), 11 long
        did you mean from:nasa"
    `);
    expect(formatMessage("before:2021-01-05")).toMatchInlineSnapshot(`
      "unknown_operator: before: is not an operator, so its words are searched for as a phrase (at offset 0), 17 long
        did you mean until:2021-01-05"
    `);
    expect(formatMessage("hashtag:nasa")).toMatchInlineSnapshot(`
      "unknown_operator: hashtag: is not an operator, so its words are searched for as a phrase (at offset 0), 12 long
        did you mean #nasa"
    `);
    expect(formatMessage("min_like:5")).toMatchInlineSnapshot(`
      "unknown_operator: min_like: is not an operator, so its words are searched for as a phrase (at offset 0), 10 long
        did you mean min_faves:5"
    `);
  });

  test("messages explain accounts in quotes", () => {
    expect(formatMessage("from:'nasa'")).toMatchInlineSnapshot(`
      "invalid_user: from: must be a username, not 'nasa' (at offset 5), 6 long
        write from:nasa
        expected: a username, a handle such as nasa.bsky.social, a DID"
    `);
  });

  test("messages explain conditions that no post can match together", () => {
    expect(formatMessage("is:retweet -is:retweet")).toMatchInlineSnapshot(`
      "contradiction: no post matches both filter:retweets and -filter:retweets (at offset 11), 11 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("nasa -(NASA OR esa)")).toMatchInlineSnapshot(`
      "contradiction: no post matches both nasa and -NASA (at offset 7), 4 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("from:nasa from:esa")).toMatchInlineSnapshot(`
      "contradiction: a post has one author: from:nasa and from:esa match nothing together unless both are the same account (at offset 10), 8 long
        write (from:nasa OR from:esa) for posts by either"
    `);
    expect(formatMessage("platform:x platform:bluesky")).toMatchInlineSnapshot(`
      "contradiction: no post matches both platform:x and platform:bluesky (at offset 11), 16 long
        write (platform:x OR platform:bluesky) for posts from either"
    `);
    expect(formatMessage("min_faves:10 -min_faves:5")).toMatchInlineSnapshot(`
      "contradiction: no post matches both min_faves:10 and -min_faves:5 (at offset 13), 12 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("is:nativeretweet is:reply")).toMatchInlineSnapshot(`
      "contradiction: no post matches both filter:nativeretweets and filter:replies (at offset 17), 8 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("has:images -has:media")).toMatchInlineSnapshot(`
      "contradiction: no post matches both filter:images and -filter:media (at offset 11), 10 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("since_id:20 max_id:20")).toMatchInlineSnapshot(`
      "empty_window: no post matches both since_id:20 and max_id:20 (at offset 12), 9 long
        since_id: is exclusive and max_id: inclusive: max_id: must be the higher ID"
    `);
    expect(formatMessage("-since:2021-01-01 -until:2021-01-01")).toMatchInlineSnapshot(`
      "empty_window: no post matches both -since:2021-01-01 and -until:2021-01-01 (at offset 18), 17 long
        remove one of them, or write OR between them"
    `);
    expect(formatMessage("within_time:1d -within_time:2d")).toMatchInlineSnapshot(`
      "empty_window: no post matches both within_time:1d and -within_time:2d (at offset 15), 15 long
        remove one of them, or write OR between them"
    `);
  });

  test("messages explain misused emoticons, cashtags and quotes", () => {
    expect(formatMessage("nasa :)))")).toMatchInlineSnapshot(`""`);
    expect(formatMessage("(launch :)")).toMatchInlineSnapshot(`
      "shared_parenthesis: :) is parsed as an emoticon whose parenthesis also closes the group (at offset 8), 2 long
        write :)) to confirm, or put a space before the ) if it only closes the group"
    `);
    expect(formatMessage("$bitcoins")).toMatchInlineSnapshot(`
      "not_a_cashtag: $bitcoins is not a cashtag, so its words are searched for (at offset 0), 9 long
        write bitcoins if you mean the word"
    `);
    expect(formatMessage("'New York' marathon")).toMatchInlineSnapshot(`
      "single_quotes: single quotes do not make a phrase: each word is searched for separately (at offset 0), 10 long
        write "New York" for these words next to each other"
    `);
  });
});
