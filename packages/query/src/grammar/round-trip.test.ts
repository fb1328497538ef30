import fc from "fast-check";
import { expect, test } from "vitest";
import { platforms } from "../tree/platform.ts";
import { printQuery } from "../tree/print.ts";
import { withoutInvisible } from "../tree/source.ts";
import { countMetrics, postProperties, type QueryLeaf, type QueryNode } from "../tree/tree.ts";
import { parseQuery } from "./parse.ts";

type Kind = QueryLeaf["kind"];

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/);
const user = fc.oneof(
  name,
  fc.constantFrom("11348282", "nasa.bsky.social", "gargron@mastodon.social", "did:plc:ewvi7nxz"),
);
const digits = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const around = (core: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.string({ unit: "binary", maxLength: 8 }), fc.string({ unit: "binary", maxLength: 8 }))
    .map(([before, after]) => `${before}${core}${after}`.trim());
/** An operator's value contains no invisible characters. */
const value = (core: string): fc.Arbitrary<string> =>
  around(core).map((text) => withoutInvisible(text).trim());
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/).filter((text) => text !== "or");
const degrees = (max: number): fc.Arbitrary<number> =>
  fc.double({ min: -max, max, noNaN: true }).map((value) => Number(value.toFixed(7)) + 0);
const time = fc.integer({ min: -62135596800000, max: 253402300799999 });

const leaves: Readonly<Record<Kind, fc.Arbitrary<object>>> = {
  word: fc.record({ text: word }),
  phrase: fc.record({ text: around("a b") }),
  hashtag: fc.record({ tag: name }),
  cashtag: fc.record({ symbol: fc.stringMatching(/^[a-z]{1,6}(?:[._][a-z]{1,2})?$/) }),
  mention: fc.record({ user }),
  from: fc.record({ user }),
  to: fc.record({ user }),
  "quoted-user": fc.record({ user }),
  "retweets-of": fc.record({ user }),
  related: fc.record({
    relation: fc.constantFrom("conversation_id", "in_reply_to", "quoted", "retweets_of_tweet_id"),
    post: fc.oneof(
      digits,
      fc.constantFrom(
        "at://did:plc:a/app.bsky.feed.post/3k",
        "import:x:0f",
        "https://x.com/a/status/2?b=(c",
      ),
      value("x").map((text) => `uri:${text.replace(/[\s\p{Cc}]/gu, "")}`),
    ),
  }),
  lang: fc.record({ code: fc.constantFrom("en", "zh-cn", "und", "english") }),
  since: fc.record({ ms: time }),
  until: fc.record({ ms: time }),
  within: fc.record({
    ms: fc.oneof(
      fc.nat(),
      fc.nat({ max: 999 }).map((days) => days * 86_400_000),
    ),
  }),
  "since-id": fc.record({ id: digits }),
  "max-id": fc.record({ id: digits }),
  property: fc.record({ property: fc.constantFrom(...postProperties) }),
  "min-count": fc.record({
    metric: fc.constantFrom(...countMetrics),
    atLeast: fc.maxSafeNat(),
  }),
  geocode: fc.record({
    lat: degrees(90),
    lon: degrees(180),
    radiusKm: fc.double({ min: 0.000001, max: 50_000, noNaN: true }),
  }),
  url: fc.record({ text: value("x.com/a") }),
  domain: fc.record({
    host: fc.constantFrom("nasa.gov", "bücher.example", "localhost", "a_b.c-d.みんな"),
  }),
  platform: fc.record({ platform: fc.constantFrom(...platforms) }),
  // A possible list is rejected, even in quotes.
  label: fc.record({
    label: value("a").map((text) => text.toLowerCase().replace(/[,;|]/g, "")),
  }),
  source: fc.record({ name: value("a") }),
  emoticon: fc.record({
    text: fc.constantFrom(":)", ":(", ":D", ":P", ":O", ";)", ";(", ";D", ";P", ";O"),
  }),
  question: fc.record({}),
};

const leaf = fc.oneof(
  ...Object.entries(leaves).map(([kind, values]) => values.map((drawn) => ({ kind, ...drawn }))),
);
const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc
      .tuple(fc.constantFrom("and", "or"), fc.array(tie("node"), { minLength: 2, maxLength: 4 }))
      .map(([kind, children]) => ({ kind, children })),
    tie("node").map((child) => ({ kind: "not", child })),
  ),
}));

function expectRoundTrip(generated: object): void {
  const tree = normalize(generated);
  const printed = printQuery(tree);
  const reparsed = parseQuery(printed, { maxLength: 1_000_000 }).tree;
  expect(withoutSpans(reparsed), printed).toEqual(withoutSpans(tree));
  expect(printQuery(reparsed)).toBe(printed);
}

test.each(Object.keys(leaves) as Kind[])("the leaf %s is printed and parsed unchanged", (kind) => {
  fc.assert(
    fc.property(leaves[kind], (drawn) => expectRoundTrip({ kind, ...drawn })),
    { numRuns: 300 },
  );
});

test("trees with leaves of every kind are printed and parsed unchanged", () => {
  fc.assert(fc.property(node, expectRoundTrip), { numRuns: 2_500 });
});

function normalize(generated: object): QueryNode {
  const span = { offset: 0, length: 1 };
  const generatedNode = { span, ...generated } as QueryNode;
  if (generatedNode.kind === "and" || generatedNode.kind === "or") {
    const children = generatedNode.children
      .map(normalize)
      .flatMap((child) => (child.kind === generatedNode.kind ? child.children : [child]));
    return { kind: generatedNode.kind, children, span };
  }
  if (generatedNode.kind !== "not") return generatedNode;
  const child = normalize(generatedNode.child);
  return child.kind === "not" ? child.child : { kind: "not", child, span };
}

function withoutSpans(tree: QueryNode): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === "span" ? undefined : value)));
}
