import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterEach, describe, expect, test } from "vitest";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Post } from "../../posts/post.ts";
import type { SearchWork } from "../archive.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  let archive: SmallArchive;
  afterEach(() => archive.remove());

  const start = Date.UTC(2026, 0, 1);

  function store(...posts: Partial<Post>[]): void {
    archive = smallArchive();
    storeInSegmentAs(
      archive,
      posts.map((post, n) => makePost({ key: `${n}`, createdMs: start + n, ...post })),
      form,
    );
  }

  function request(query: string): { texts: string[]; work: SearchWork } {
    const { tree } = parseQuery(query);
    const names = archive.reader.operations.resolve(namesIn(tree));
    const { positions, work } = archive.search({ plan: makePlan(tree, { names, asOfMs: 0 }) });
    const texts = archive.reader.operations
      .records(positions)
      .records.map((text) => (JSON.parse(text) as { Content: string }).Content)
      .reverse();
    return { texts, work };
  }

  const liked = (likes: number | null) => ({
    text: `${likes} likes`,
    counts: { likes, reposts: null, replies: null, quotes: null },
  });

  describe("count thresholds", () => {
    const storeSixCounts = () =>
      store(liked(null), liked(0), liked(999), liked(1000), liked(1023), liked(1024));

    test("count thresholds between indexed ones are exact, including when negated", () => {
      storeSixCounts();
      expect(request("min_faves:1000").texts).toEqual(["1000 likes", "1023 likes", "1024 likes"]);
      expect(request("-min_faves:1000").texts).toEqual(["null likes", "0 likes", "999 likes"]);
      expect(request("min_faves:1024").texts).toEqual(["1024 likes"]);
      expect(request("-min_faves:1024").texts).toHaveLength(5);
      expect(request("min_faves:1001").texts).toEqual(["1023 likes", "1024 likes"]);
    });

    test("count thresholds of 0 match every post, including unknown counts", () => {
      storeSixCounts();
      expect(request("min_faves:0").texts).toHaveLength(6);
      expect(request("-min_faves:0").texts).toEqual([]);
    });

    test("count thresholds above any count match nothing", () => {
      storeSixCounts();
      expect(request("min_faves:999999999999").texts).toEqual([]);
      expect(request("-min_faves:999999999999").texts).toHaveLength(6);
    });

    test("count thresholds between indexed ones check only posts that reach the next lower indexed one", () => {
      storeSixCounts();
      expect(request("min_faves:1001").work.candidates).toBe(3);
      expect(request("min_faves:1000").work.candidates).toBe(3);
    });
  });

  describe("wildcard in a phrase", () => {
    test("a wildcard in a phrase matches exactly one word, including when negated", () => {
      store({ text: "a new b" }, { text: "a b" }, { text: "a very new b" }, { text: "b new a" });
      expect(request('"a * b"').texts).toEqual(["a new b"]);
      expect(request('-"a * b"').texts).toEqual(["a b", "a very new b", "b new a"]);
      expect(request('"a * * b"').texts).toEqual(["a very new b"]);
    });
  });

  describe("circles", () => {
    const berlin = { text: "berlin", geo: { lat: 52.52, lon: 13.405 } };
    const potsdam = { text: "potsdam", geo: { lat: 52.4, lon: 13.06 } };
    const nowhere = { text: "nowhere" };

    test("circles match posts within them, and no post without a location", () => {
      store(berlin, potsdam, nowhere);
      expect(request("geocode:52.52,13.405,10km").texts).toEqual(["berlin"]);
      expect(request("-geocode:52.52,13.405,10km").texts).toEqual(["potsdam", "nowhere"]);
      expect(request("geocode:52.52,13.405,25mi").texts).toEqual(["berlin", "potsdam"]);
    });

    test("circles extend across the date line and over the whole globe", () => {
      store(
        { text: "west", geo: { lat: 0, lon: 179.95 } },
        { text: "east", geo: { lat: 0, lon: -179.95 } },
        nowhere,
      );
      expect(request("geocode:0,-179.99,20km").texts).toEqual(["west", "east"]);
      expect(request("geocode:0,0,20038km").texts).toEqual(["west", "east"]);
    });
  });

  describe("negation", () => {
    const storeFourTexts = () =>
      store({ text: "a b" }, { text: "a" }, { text: "b" }, { text: "c" });

    test("a negation is exact for a group, for another negation, and without other conditions", () => {
      storeFourTexts();
      expect(request("-(a OR -b)").texts).toEqual(["b"]);
      expect(request("-(a b)").texts).toEqual(["a", "b", "c"]);
      expect(request("--a").texts).toEqual(["a b", "a"]);
      expect(request("-a -b").texts).toEqual(["c"]);
      expect(request("a OR -b").texts).toEqual(["a b", "a", "c"]);
    });

    test("a negation of a required condition matches nothing", () => {
      storeFourTexts();
      expect(request("a -a").texts).toEqual([]);
      expect(request("filter:retweets -filter:retweets").texts).toEqual([]);
      expect(request("lang:en lang:ru").texts).toEqual([]);
    });
  });

  describe("the size of a query", () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

    test("the archive answers 255 negations, 256 alternatives and 20 nested groups", () => {
      store({ text: "w1" }, { text: "other" });
      expect(
        request(
          `other ${words(255)
            .map((word) => `-${word}`)
            .join(" ")}`,
        ).texts,
      ).toEqual(["other"]);
      expect(request(words(256).join(" OR ")).texts).toEqual(["w1"]);
      for (const joiner of ["OR -", "-", "OR ", ""]) {
        const nested = words(19).reduce(
          (inner, word) => `(${word} ${joiner}${inner})`,
          "(other x)",
        );
        expect(() => request(nested), joiner).not.toThrow();
        const first = words(19).reduce(
          (inner, word) => `(-${inner} ${joiner}${word})`,
          "(other x)",
        );
        expect(() => request(first), joiner).not.toThrow();
      }
    });
  });

  describe("author", () => {
    test("an author can neither forge a facet nor hide one", () => {
      store(
        { text: "lang:en is:post likes>=10 from:bob #", langs: ["de"] },
        { text: "real", langs: ["en"] },
      );
      expect(request("lang:en").texts).toEqual(["real"]);
      expect(request("min_faves:10").texts).toEqual([]);
      expect(request("from:bob").texts).toEqual([]);
      expect(request("lang:de").texts).toHaveLength(1);
    });

    test("an author cannot create a phrase that extends from text into alt text, tags or links", () => {
      store({
        text: "end of text https://example.com/start",
        media: [{ type: "image", url: null, alt: "start of alt" }],
        hashtags: ["of"],
        urls: ["https://example.com/start"],
      });
      expect(request('"text start"').texts).toEqual([]);
      expect(request('"of alt"').texts).toHaveLength(1);
      expect(request('"alt of"').texts).toEqual([]);
      expect(request('"text * start"').texts).toEqual([]);
    });
  });

  test("since: is inclusive, until: is exclusive, and each is the other's negation", () => {
    store({ text: "first" }, { text: "second", createdMs: start + 86_400_000 });
    expect(request("since:2026-01-01").texts).toEqual(["first", "second"]);
    expect(request("until:2026-01-02").texts).toEqual(["first"]);
    expect(request("since:2026-01-02").texts).toEqual(["second"]);
    expect(request("-since:2026-01-02").texts).toEqual(["first"]);
    expect(request("-until:2026-01-02").texts).toEqual(["second"]);
    expect(request("second OR until:2026-01-02").texts).toEqual(["first", "second"]);
    expect(request("since:2026-01-02 until:2026-01-02").texts).toEqual([]);
    expect(request("since:2026-01-03 until:2026-01-02").texts).toEqual([]);
  });
});
