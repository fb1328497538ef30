import { parseQuery } from "@earshot/query";
import { accountByHandle, accountById } from "@earshot/query/facets";
import { matches } from "@earshot/query/match";
import { makePlan, namesIn, type ResolvedNames } from "@earshot/query/plan";
import { foldHandle } from "@earshot/query/text";
import type { QueryNode } from "@earshot/query/tree";
import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedPost } from "../../../testkit/data/generated.ts";
import { generatedQuery } from "../../../testkit/data/generated-queries.ts";
import { accounts, asOfMs } from "../../../testkit/data/vocabulary.ts";
import type { Post } from "../../posts/post.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { BlueskyRequest } from "./search-alternatives.ts";
import { searchText } from "./search-posts.ts";
import { narrowRequestsFor, requestsFor } from "./search-requests.ts";

const tree = (query: string): QueryNode => {
  const parsed = parseQuery(query, {});
  return parsed.tree;
};

function nodeNames(node: QueryNode): ResolvedNames {
  const { accounts: names } = namesIn(node);
  const resolved = names.map((name): [string, string[]] => {
    const bearers = accounts.filter(({ username }) => foldHandle(username) === foldHandle(name));
    const ids = bearers.flatMap(({ userId }) => userId ?? []);
    return [
      name,
      [
        accountByHandle("bluesky", foldHandle(name)),
        accountByHandle("x", foldHandle(name)),
        ...(ids.length > 0 ? ids : [name]).map((id) => accountById("bluesky", id)),
      ],
    ];
  });
  return { accounts: new Map(resolved), posts: new Map() };
}

const requests = (query: string) => requestsFor(tree(query), nodeNames(tree(query)));
const output = (query: string) =>
  requests(query)?.map((request) =>
    Object.fromEntries(
      Object.entries(request).filter(([, value]) => value !== null && String(value) !== ""),
    ),
  ) ?? null;

test.each([
  ["words are requested together", "cats dogs", [{ words: ["cats", "dogs"] }]],
  ["phrases stay phrases", '"climate change"', [{ words: ['"climate change"'] }]],
  ["a wildcard splits a phrase", '"a b * c"', [{ words: ['"a b"', "c"] }]],
  ["a word of several parts is a phrase", "state-of-the-art", [{ words: ['"state of the art"'] }]],
  ["apostrophes stay in a word", "don’t", [{ words: ["don't"] }]],
  [
    "a hashtag may be in the text or in the tag field",
    "#nasa",
    [{ tags: ["nasa"] }, { words: ["nasa"] }],
  ],
  [
    "alternatives are separate requests",
    "cats OR dogs",
    [{ words: ["cats"] }, { words: ["dogs"] }],
  ],
  [
    "alternatives multiply",
    "news (cats OR dogs)",
    [{ words: ["news", "cats"] }, { words: ["news", "dogs"] }],
  ],
  [
    "the common part of too many alternatives is requested",
    "news (a OR b OR c OR d OR e OR f OR g)",
    [{ words: ["news"] }],
  ],
  ["a negation is left to the matcher", "cats -dogs", [{ words: ["cats"] }]],
  ["a double negation cancels out", "-(-cats)", [{ words: ["cats"] }]],
  [
    "a language is one of its codes",
    "cats lang:he",
    [
      { words: ["cats"], lang: "he" },
      { words: ["cats"], lang: "iw" },
    ],
  ],
  ["inexpressible conditions are omitted", "cats to:bob min_faves:3 ?", [{ words: ["cats"] }]],
  [
    "nothing is requested for conditions that no post on Bluesky meets",
    "cats geocode:52.5,13.4,10km",
    [],
  ],
  ["nothing is requested for another platform", "cats platform:x", []],
  ["nothing is requested for two authors", "from:did:plc:ann from:did:plc:bob", []],
  ["a negation alone cannot be requested", "-cats", null],
  ["a property alone cannot be requested", "is:reply", null],
  ["alternatives with an inexpressible one cannot be requested", "cats OR is:reply", null],
  [
    "more alternatives than the maximum cannot be requested",
    "a OR b OR c OR d OR e OR f OR g",
    null,
  ],
])("a Bluesky search translates a query to request parameters: %s", (_what, query, expected) => {
  expect(output(query)).toEqual(expected);
});

test("a Bluesky search requests an author by DID if known, otherwise by handle", () => {
  expect(output("from:ann.example.com")).toEqual([
    { author: { actor: "did:plc:ann", handle: "ann.example.com" } },
  ]);
  expect(output("from:ann")).toEqual([{ author: { actor: "did:plc:ann", handle: null } }]);
  expect(output("from:who.example")).toEqual([
    { author: { actor: "who.example", handle: "who.example" } },
  ]);
});

test("a Bluesky search requests a mention as a facet with the account, or as a handle in the text", () => {
  expect(output("@ann.example.com")).toEqual([
    { mentions: "did:plc:ann" },
    { words: ["ann.example.com"] },
  ]);
});

test("a Bluesky search requests a link by its host if nothing else can be requested", () => {
  const node = tree("domain:news.example");
  expect(requestsFor(node, nodeNames(node))).toBeNull();
  expect(narrowRequestsFor(node, nodeNames(node))).toMatchObject([{ domain: "news.example" }]);
});

test("the parameter `q` contains words as users write them, and is never empty", () => {
  const query = (text: string) => requests(text)?.map(searchText);
  expect(query("cats #nasa")).toEqual(["cats", "cats nasa"]);
  expect(query("#nasa")).toEqual(["#nasa", "nasa"]);
  expect(query("from:ann.example.com")).toEqual(["from:ann.example.com"]);
  expect(query("from:did:plc:bob")).toEqual(["did:plc:bob"]);
  expect(query("lang:de")).toEqual(["lang:de"]);
  expect(query("@did:plc:bob")).toEqual(["*"]);
  expect(query("AND or not".toUpperCase().replaceAll(" ", "-"))).toEqual(['"AND OR NOT"']);
});

test("no word of a query becomes an operator of Bluesky's search", () => {
  for (const text of ["from-did:plc:ann", 'cats"dogs', "a|b", "-(x", "did:plc:x"]) {
    const node: QueryNode = { kind: "word", text, span: { offset: 0, length: 1 } };
    for (const request of requestsFor(node, { accounts: new Map(), posts: new Map() }) ?? []) {
      expect(searchText(request)).not.toMatch(/:|\||(?:^|\s)-/);
    }
  }
});

/** Follows the lexicon: filters are exact, and a word also matches as a substring. */
function accepts(request: BlueskyRequest, post: Post): boolean {
  const { words, tags, author, mentions, lang, domain } = request;
  const subject = postSubject(post);
  const isFound = (word: string): boolean => {
    const text = word.replaceAll('"', "");
    const kind = word.startsWith('"') ? "phrase" : "word";
    const node: QueryNode = { kind, text, span: { offset: 0, length: 1 } };
    return (
      matches(makePlan(node, { names: noNames, asOfMs }), subject) ||
      post.text.toLowerCase().includes(text.toLowerCase())
    );
  };
  const langs = post.langs.length > 0 ? post.langs : [post.detectedLang ?? "und"];
  return (
    words.every(isFound) &&
    tags.every((tag) =>
      matches(
        makePlan(
          { kind: "hashtag", tag, span: { offset: 0, length: 1 } },
          { names: noNames, asOfMs },
        ),
        subject,
      ),
    ) &&
    (author === null || author.actor === post.userId) &&
    (mentions === null || post.mentions.some(({ userId }) => userId === mentions)) &&
    (lang === null || langs.some((tag) => tag.toLowerCase().split(/[-_]/)[0] === lang)) &&
    domain === null
  );
}

const noNames: ResolvedNames = { accounts: new Map(), posts: new Map() };

const postSubject = (post: Post) => ({
  id: 1n,
  platform: post.platform,
  timeMs: post.createdMs ?? 0,
  counts: post.counts,
  geo: () => post.geo,
  terms: () => indexTerms(post),
});

/** As on Bluesky: a DID as author, no repost or location, and mentions as facets or in the text. */
function onBluesky(post: Post): Post {
  return {
    ...post,
    platform: "bluesky",
    nativeId: null,
    userId: post.userId?.startsWith("did:") ? post.userId : "did:plc:bob",
    isRepost: false,
    reposted: null,
    geo: null,
    source: null,
    mentions: post.mentions.filter(
      ({ userId, username }) =>
        userId?.startsWith("did:") || (userId === null && post.text.includes(username)),
    ),
  };
}

test("every post that matches a query satisfies one of its requests", () => {
  const posts = fc.sample(generatedPost(1_000), { numRuns: 150, seed: 7 }).map(onBluesky);
  const tally = { requested: 0, matched: 0, inexpressible: 0, nowhere: 0 };
  fc.assert(
    fc.property(generatedQuery, (query) => {
      const node = tree(query);
      const names = nodeNames(node);
      const requested = requestsFor(node, names);
      if (requested === null) tally.inexpressible += 1;
      else tally.requested += 1;
      if (requested?.length === 0) tally.nowhere += 1;
      if (requested === null) return;
      expect(requested.length).toBeLessThanOrEqual(6);
      const plan = makePlan(node, { names, asOfMs });
      for (const post of posts) {
        if (!matches(plan, postSubject(post))) continue;
        tally.matched += 1;
        if (!requested.some((request) => accepts(request, post))) {
          expect.fail(`${query}: ${JSON.stringify(requested)} misses ${JSON.stringify(post)}`);
        }
      }
    }),
    { numRuns: 120 },
  );
  expect(Math.min(...Object.values(tally))).toBeGreaterThan(0);
});
