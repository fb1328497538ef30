import type { Post } from "../../src/posts/post.ts";

export type RegressionCase = {
  name: string;
  query: string;
  posts: readonly Partial<Post>[];
};

const bob = { userId: "did:plc:bob", username: "bob" };

export const regressionCases: readonly RegressionCase[] = [
  {
    name: "an account's id does not match another account with the same handle",
    query: "@did:plc:bob",
    posts: [{ ...bob, mentions: [{ username: "Bob", userId: "4242" }] }],
  },
  {
    name: "a handle of an author, in a mention of another account",
    query: "@ann",
    posts: [
      { uri: "uri:1", username: "ann", userId: "did:plc:ann" },
      { uri: "uri:2", platform: "x", mentions: [{ username: "ann", userId: "7" }] },
    ],
  },
  {
    name: "a handle whose host has no top-level domain",
    query: "x2",
    posts: [{ text: "@n.x2" }],
  },
  {
    name: "a top-level domain before an accented letter",
    query: "naïve",
    posts: [{ text: "don't.naïve" }],
  },
  {
    name: "query parameters after a host without a scheme",
    query: "a",
    posts: [{ text: "zipzp.eu?a=BMZWpr" }],
  },
  {
    name: "non-ASCII letters in the query parameters of a link",
    query: "Ёлка",
    posts: [{ text: "https://example.com/what?Ёлка" }],
  },
  {
    name: "a closing parenthesis in the query parameters of a link",
    query: "cafe",
    posts: [{ text: "https://example.com/a?b=c)cafe" }],
  },
  {
    name: "a top-level domain that only X's list contains",
    query: "lol",
    posts: [{ text: "useful.lol" }],
  },
  {
    name: "a top-level domain in capitals at the start of a sentence",
    query: "state",
    posts: [{ text: "Secretary of State.It is" }],
  },
  {
    name: "a link with a scheme and a top-level domain that X's list does not contain",
    query: "news",
    posts: [{ text: "http://news.ex" }],
  },
  {
    name: "a phrase of one emoji, and the same emoji with a skin tone",
    query: '"👍"',
    posts: [{ text: "👍🏽" }],
  },
  {
    name: "a minus before a hashtag directly followed by a word",
    query: "-#news's",
    posts: [{ text: "a plain post" }],
  },
  {
    name: "an old-style repost without a space",
    query: "is:retweet",
    posts: [{ platform: "x", text: "RT@ann hello" }],
  },
  {
    name: "an old-style repost after a low opening quotation mark",
    query: "is:retweet",
    posts: [{ platform: "x", text: "„RT @ann hello“" }],
  },
  {
    name: "RT before an @ that is not a mention",
    query: "is:retweet",
    posts: [{ platform: "x", text: "RT @日本 hello" }],
  },
  {
    name: "an emoticon before a German closing quotation mark",
    query: ":)",
    posts: [{ text: "„hello :)“" }],
  },
  {
    name: "a handle before an accented letter",
    query: "nasa",
    posts: [{ text: "@nasa.comé" }],
  },
  {
    name: "a hashtag with an invisible character",
    query: "#news",
    posts: [{ hashtags: ["news\u200d"] }],
  },
  {
    name: "a combining mark without a base character, before a word",
    query: "cafe",
    posts: [{ text: "art -\u0301caf\u00e9" }],
  },
  {
    name: "a zero width space in a query",
    query: "-zero\u200bwidth",
    posts: [{ text: "a plain post" }],
  },
  {
    name: "a mention within a phrase",
    query: '"@vanilnycheburek а"',
    posts: [{ platform: "x", text: "@vanilnycheburek а что там было" }],
  },
  {
    name: "a pictograph that is shown as text by default",
    query: "© filter:safe",
    posts: [{ text: "a plain post" }],
  },
  {
    name: "an app name with two consecutive spaces",
    query: "source:Twitter_for_iOS",
    posts: [{ source: "Twitter  for iOS" }],
  },
  {
    name: "the highest possible ID excludes nothing",
    query: "max_id:9223372036854775807",
    posts: [{}],
  },
  {
    name: "an emoticon with a nose, or with other eyes",
    query: ":-)",
    posts: [{ text: "=)" }],
  },
  {
    name: "a letter that looks like an apostrophe",
    query: "o",
    posts: [{ text: "\u02bbO ka mauli" }],
  },
  {
    name: "a host directly followed by a word",
    query: "kwa",
    posts: [{ text: "pale Hearthis.at.Kwa sasa" }],
  },
  {
    name: "a host after a hyphen and a word in another script",
    query: "?",
    posts: [{ text: "서울-example.com/what?now" }],
  },
];
