import { parseQuery } from "@earshot/query";
import { matches } from "@earshot/query/match";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterEach, describe, expect, test } from "vitest";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { postTimeMs } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import { indexTerms } from "../../posts/terms.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  let archive: SmallArchive;
  let stored: Post[] = [];
  afterEach(() => archive.remove());

  const start = Date.UTC(2026, 0, 1);

  function store(...posts: Partial<Post>[]): void {
    archive = smallArchive(form === "sealed" ? 100 : 2);
    stored = posts.map((post, n) => makePost({ key: `k${n}`, createdMs: start + n, ...post }));
    storeInSegmentAs(archive, stored, form);
  }

  const storeTexts = (...texts: string[]): void => store(...texts.map((text) => ({ text })));

  function request(query: string): string[] {
    const { positions } = archive.query(query);
    const { tree } = parseQuery(query);
    const names = archive.reader.operations.resolve(namesIn(tree));
    const plan = makePlan(tree, { names, asOfMs: 0 });
    const expected = stored.filter((post) =>
      matches(plan, {
        id: 0n,
        platform: post.platform,
        timeMs: postTimeMs(post, start),
        counts: post.counts,
        geo: () => post.geo,
        terms: () => indexTerms(post),
      }),
    );
    const found = archive.records(positions).reverse();
    const uris = found.map(({ Metadata }) => Metadata.uri);
    expect(uris, `${query}: archive and matcher`).toEqual(expected.map(({ uri }) => uri));
    return found.map(({ Content }) => Content);
  }

  describe("negations", () => {
    test("-min_faves:1000 is exact for counts of 999, 1000, 1023 and 1024", () => {
      const likes = [null, 999, 1_000, 1_023, 1_024];
      store(
        ...likes.map((count) => ({
          text: `${count}`,
          counts: { likes: count, reposts: null, replies: null, quotes: null },
        })),
      );
      expect(request("-min_faves:1000")).toEqual(["null", "999"]);
      expect(request("-min_faves:1001")).toEqual(["null", "999", "1000"]);
      expect(request("-min_faves:1024")).toEqual(["null", "999", "1000", "1023"]);
      expect(request("--min_faves:1024")).toEqual(["1024"]);
      expect(request("-(min_faves:1000 -min_faves:1024)")).toEqual(["null", "999", "1024"]);
    });

    test('-"a * b" excludes posts in which exactly one word is between a and b', () => {
      storeTexts("a x b", "a b", "a x y b", "a https://example.com b", "b x a");
      expect(request('"a * b"')).toEqual(["a x b"]);
      expect(request('-"a * b"')).toHaveLength(4);
      expect(request('a -"a * b" -"b * a"')).toHaveLength(3);
    });

    test("-geocode: also matches posts without a location", () => {
      store(
        { text: "near", geo: { lat: 52.52, lon: 13.405 } },
        { text: "far", geo: { lat: 48.14, lon: 11.58 } },
        { text: "nowhere", geo: null },
      );
      expect(request("-geocode:52.52,13.405,10km")).toEqual(["far", "nowhere"]);
      expect(request("has:geo -geocode:52.52,13.405,10km")).toEqual(["far"]);
      expect(request("-has:geo -geocode:52.52,13.405,10km")).toEqual(["nowhere"]);
    });

    test("-(a OR -b), double negation and queries that consist only of negations are exact", () => {
      storeTexts("a", "b", "a b", "c");
      expect(request("-(a OR -b)")).toEqual(["b"]);
      expect(request("--a")).toEqual(["a", "a b"]);
      expect(request("---a")).toEqual(["b", "c"]);
      expect(request("-a -b")).toEqual(["c"]);
      expect(request("-a OR -b")).toEqual(["a", "b", "c"]);
      expect(request("-(-a -b)")).toEqual(["a", "b", "a b"]);
      expect(request("-platform:x -a")).toEqual(["b", "c"]);
    });

    test("lang:en lang:ru matches only posts in both languages", () => {
      store(
        { text: "en", langs: ["en"] },
        { text: "ru", langs: ["ru"] },
        { text: "both", langs: ["ru", "en"] },
      );
      expect(request("lang:en lang:ru")).toEqual(["both"]);
      expect(request("lang:en -lang:ru")).toEqual(["en"]);
    });

    test("is:retweet -is:retweet matches nothing", () => {
      store({ text: "plain" }, { text: "again", isRepost: true }, { text: "RT @ann: hi" });
      expect(request("is:retweet -is:retweet")).toEqual([]);
      expect(request("is:retweet OR -is:retweet")).toHaveLength(3);
      expect(request("is:retweet -is:nativeretweet")).toEqual(["RT @ann: hi"]);
    });
  });

  describe("the size of a query", () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);
    const queryParseError = (query: string) => {
      try {
        parseQuery(query);
      } catch (error) {
        return error;
      }
      return null;
    };

    test("the archive answers 256 negations, and an error for 257 or 300 states the limit", () => {
      storeTexts("w7", "other");
      const negated = (count: number) =>
        words(count)
          .map((word) => `-${word}`)
          .join(" ");
      expect(request(negated(256))).toEqual(["other"]);
      for (const count of [257, 300]) {
        expect(queryParseError(negated(count))).toMatchObject({
          diagnostics: [{ code: "too_many_terms", message: expect.stringContaining("256") }],
        });
      }
    });

    test("the archive answers ORs of 256 words, as words, as phrases and as inexact conditions", () => {
      storeTexts("w7", "o w7");
      expect(request(words(256).join(" OR "))).toHaveLength(2);
      expect(
        request(
          words(128)
            .map((word) => `"o ${word}"`)
            .join(" OR "),
        ),
      ).toEqual(["o w7"]);
      expect(
        request(
          words(85)
            .map((word) => `"o * ${word}"`)
            .join(" OR "),
        ),
      ).toEqual([]);
    });

    test("the archive answers 20 nested groups, and an error for 21 or 33 states the limit", () => {
      const nested = (depth: number) =>
        `${"(a OR -(".repeat(depth / 2)}b c${"))".repeat(depth / 2)}`;
      storeTexts("a", "b c", "c");
      expect(request(nested(20))).toEqual(["a", "b c"]);
      for (const depth of [21, 33]) {
        const deep = `${"(a -".repeat(depth)}b${")".repeat(depth)}`;
        expect(queryParseError(deep)).toMatchObject({
          diagnostics: [{ code: "query_too_deep", message: expect.stringContaining("20") }],
        });
      }
    });
  });

  describe("phrases", () => {
    test("phrases do not match across text and facet, text and alt text, or text and URL", () => {
      store({
        text: "one two https://example.com/three @four five",
        langs: ["en"],
        hashtags: ["six"],
        urls: ["https://example.com/three"],
        media: [
          { type: "image", url: null, alt: "seven eight" },
          { type: "image", url: null, alt: "nine" },
        ],
      });
      for (const phrase of [
        "two three",
        "two five",
        "two * five",
        "five six",
        "five seven",
        "five * seven",
        "eight nine",
        "nine six",
        "six example",
        "example three",
        "three is",
        "six is post",
        "two lang en",
      ]) {
        expect(request(`"${phrase}"`), phrase).toEqual([]);
      }
      for (const query of ['"one two"', '"seven eight"', '"one *"', "five", "nine", "six"]) {
        expect(request(query), query).toHaveLength(1);
      }
    });

    test("phrases match emoji with a skin tone", () => {
      storeTexts("good 👍🏽 job", "good 👍 job", "good 👍🏿 job");
      expect(request('"good 👍🏽 job"')).toEqual(["good 👍🏽 job"]);
      expect(request('"good 👍 job"')).toEqual(["good 👍 job"]);
      expect(request("👍")).toHaveLength(3);
      expect(request("👍🏽")).toEqual(["good 👍🏽 job"]);
      expect(request('"good * job"')).toHaveLength(3);
    });
  });

  describe("unusual tokens", () => {
    const long = "w".repeat(10_000);

    test("NUL, a lone surrogate, U+FFFD and a word of 10,000 characters are searched safely", () => {
      storeTexts("a\u0000b", "c\ud800d", "e\ufffdf", `x ${long} y`, "plain");
      expect(request('"a b"')).toHaveLength(1);
      expect(request('"c d"')).toHaveLength(1);
      expect(request('"e f"')).toHaveLength(1);
      // The word is too long for a query, and its prefix is another word.
      expect(request("w".repeat(64))).toEqual([]);
      expect(request('"x * y"')).toHaveLength(1);
      expect(request("-plain")).toHaveLength(4);
    });

    test("a word of 4,000 characters, nearly the maximum query length, is found", () => {
      const word = "w".repeat(4_000);
      storeTexts(`x ${word}`, `x ${word}w`);
      expect(request(word)).toEqual([`x ${word}`]);
      expect(request(`"x ${word}w"`)).toEqual([`x ${word}w`]);
      expect(request(`-${word}`)).toEqual([`x ${word}w`]);
    });

    test("\" and ' in tokens are searched literally", () => {
      storeTexts(`say "cheese" don't`, "rock'n'roll", `""''"`);
      expect(request("cheese")).toHaveLength(1);
      expect(request("don't")).toHaveLength(1);
      expect(request("rock'n'roll")).toEqual(["rock'n'roll"]);
      expect(request('"say \\"cheese\\" don\'t"')).toHaveLength(1);
    });

    test("\" and ' in facets are searched literally", () => {
      store({ text: "labelled", labels: [`"'`, "a'b\"c"], username: `o'"neil`, userId: null });
      expect(request("labelled")).toEqual(["labelled"]);
      expect(request(`label:"a'b\\"c"`)).toEqual(["labelled"]);
      expect(request(`label:"\\"'"`)).toEqual(["labelled"]);
    });

    test("a text with lang:en, is:post or likes>=10 neither matches nor hides a facet", () => {
      store(
        { text: "lang:en is:post likes>=10 is:retweet from:bob has:link |", langs: ["de"] },
        { text: "real", langs: ["en"], username: "bob", userId: null },
      );
      expect(request("lang:en")).toEqual(["real"]);
      for (const query of ["min_faves:10", "is:retweet", "has:links"])
        expect(request(query)).toEqual([]);
      expect(request("from:bob")).toEqual(["real"]);
      expect(request("lang:de")).toHaveLength(1);
      expect(request('"lang en is post likes 10"')).toHaveLength(1);
      expect(request("-lang:de")).toEqual(["real"]);
    });
  });

  test("since = until and since > until match nothing, and the negation of since = until matches everything", () => {
    store({ text: "one" }, { text: "two", createdMs: start + 86_400_000 });
    expect(request("since:2026-01-02 until:2026-01-02")).toEqual([]);
    expect(request("since:2026-01-03 until:2026-01-01")).toEqual([]);
    expect(request("-(since:2026-01-02 until:2026-01-02)")).toHaveLength(2);
    expect(request("-(since:2026-01-01 until:2026-01-02)")).toEqual(["two"]);
  });
});
