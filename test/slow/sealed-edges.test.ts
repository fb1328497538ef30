import { all, any, not, type PlanNode } from "@earshot/query/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformQuery } from "../../src/archive/read/platform-query.ts";
import { postsPerChunk } from "../../src/archive/sealed/format.ts";
import type { SegmentQuery } from "../../src/archive/segments/search-segment.ts";
import { idTimeMs, lastId, lowestId } from "../../src/posts/ids.ts";
import { type FormsQuery, queryBoth } from "../../testkit/archives/query-both.ts";
import {
  type IndexedPost,
  type SegmentForms,
  segmentForms,
} from "../../testkit/archives/segment-forms.ts";
import { preparedPost } from "../../testkit/archives/write-delta.ts";
import { printTree } from "../../testkit/data/random-trees.ts";

const startMs = Date.UTC(2026, 0, 1);
const stepMs = 700;

/** Number 0 is the newest post. */
const idAt = (number: number, posts: number): bigint =>
  lowestId(startMs + (posts - number) * stepMs) + 7n;

const everything = { low: 0n, high: lastId };
const defaults = { fromMs: null, toMs: null, skew: { minMs: 0, maxMs: 0 }, widthMs: 3_600_000 };

const words = (...tokens: string[]): PlanNode => ({
  kind: "terms",
  elements: tokens.map((token) => ({ kind: "token", token })),
});

const wordsAndPrefix = (prefix: string, ...before: string[]): PlanNode => ({
  kind: "terms",
  elements: [
    ...before.map((token) => ({ kind: "token", token }) as const),
    { kind: "prefix", prefix },
  ],
});

function agreedCount(forms: SegmentForms, plan: PlanNode, more: Partial<FormsQuery> = {}): number {
  const query = { plan, range: everything, limit: 10_000, ...defaults, ...more };
  const answers = queryBoth(forms, query);
  expect(answers?.sealed, printTree(plan)).toBe(answers?.plain);
  return answers?.found ?? 0;
}

const counted = (forms: SegmentForms, plan: PlanNode, more: Partial<FormsQuery> = {}): number =>
  agreedCount(forms, plan, { limit: null, ...more });

const edges = [1, 63, 64, 65, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, 65_535, 65_536];

function* edgePosts(posts: number): Generator<IndexedPost> {
  for (let number = posts - 1; number >= 0; number--) {
    const within = number % postsPerChunk;
    const terms = ["is:post", number % 3 === 0 ? "pa pb" : "pb pa"];
    for (const edge of edges) {
      // Terms at the start and end of the segment, and of each chunk.
      if (number < edge) terms.push(`first${edge}`);
      if (posts - 1 - number < edge) terms.push(`last${edge}`);
      if (edge < 9_000 && within < edge) terms.push(`each${edge}`);
      if (edge > 4_000 && edge < 9_000 && within >= postsPerChunk - edge) terms.push(`end${edge}`);
    }
    if (number % 16 === 5) terms.push("spread");
    const id = idAt(number, posts);
    yield { id, timeMs: idTimeMs(id), terms: terms.join(" ") };
  }
}

const edgeTerms = [
  ...edges.flatMap((edge) => [`first${edge}`, `last${edge}`]),
  ...edges.filter((edge) => edge < 9_000).map((edge) => `each${edge}`),
  ...edges.filter((edge) => edge > 4_000 && edge < 9_000).map((edge) => `end${edge}`),
  "spread",
  "is:post",
  "nowhere",
];

describe.each([65_535, 65_536, 65_537, 131_072])("a segment of %i posts", (posts) => {
  let forms: SegmentForms;
  beforeAll(() => {
    forms = segmentForms(edgePosts(posts));
  }, 120_000);
  afterAll(() => forms.remove());

  test("every term of a segment is counted", () => {
    for (const term of edgeTerms) {
      const found = counted(forms, words(term));
      const [, kind, edge] = /^(first|last)(\d+)$/.exec(term) ?? [];
      if (kind !== undefined) expect(found, term).toBe(Math.min(posts, Number(edge)));
    }
    expect(counted(forms, words("is:post"))).toBe(posts);
    expect(counted(forms, not(words("pa", "pb")))).toBe(posts - Math.ceil(posts / 3));
  });

  test("the newest posts of single and combined terms are found", () => {
    for (const [index, term] of edgeTerms.entries()) {
      const other = words(edgeTerms[(index * 7 + 3) % edgeTerms.length] ?? "");
      for (const plan of [
        words(term),
        all([words(term), other]),
        all([words(term), not(other)]),
        any([words(term), other]),
        all([words(term), words("pa", "pb")]),
        all([not(words(term)), not(other)]),
      ]) {
        agreedCount(forms, plan, { limit: 101 });
      }
    }
  });

  test("a limit of as many posts as a container has, one more or one less, is respected", () => {
    for (const limit of [1, 4_095, 4_096, 4_097, 8_193]) {
      agreedCount(forms, words("first8192"), { limit });
      agreedCount(forms, words("spread"), { limit });
    }
  });

  test("a search respects ranges that begin and end where chunks and pages do", () => {
    const numbers = [0, 1, 509, 510, 511, 512, 65_534, 65_535, 65_536, 65_537, posts - 1];
    const ids = numbers.filter((number) => number < posts).map((number) => idAt(number, posts));
    for (const high of [...ids, lastId]) {
      for (const low of [0n, ...ids]) {
        for (const offset of [-1n, 0n, 1n]) {
          const range = { low: low + offset, high };
          if (range.low < 0n || range.low > high) continue;
          counted(forms, words("spread"), { range });
          agreedCount(forms, words("pa", "pb"), { range, limit: 5 });
        }
      }
    }
  });

  test("a search respects windows that end on the time of a post", () => {
    for (const number of [0, 65_534, 65_535, 65_536].filter((value) => value < posts)) {
      const atMs = idTimeMs(idAt(number, posts));
      agreedCount(forms, words("spread"), {
        fromMs: atMs,
        toMs: null,
        range: everything,
        limit: 50,
      });
      agreedCount(forms, words("is:post"), {
        fromMs: null,
        toMs: atMs,
        limit: 3,
        range: { low: 0n, high: lowestId(atMs) - 1n },
      });
    }
  });
});

describe("posts of many words", () => {
  const longText = (length: number): string =>
    Array.from({ length }, (_, index) => `${index % 251 === 0 ? "again" : `n${index}`}`).join(" ");
  const lengths = [
    1, 2, 253, 254, 255, 256, 257, 258, 300, 511, 512, 513, 32_767, 32_768, 32_769, 70_000,
  ];
  const posts = 400;
  let forms: SegmentForms;
  beforeAll(() => {
    forms = segmentForms(
      Array.from({ length: posts }, (_, index): IndexedPost => {
        const id = idAt(posts - 1 - index, posts);
        const length = lengths[index % lengths.length] ?? 1;
        const text =
          index % lengths.length > 11 && index > 40
            ? "n1 n2 again again n2 again"
            : longText(length);
        return { id, timeMs: idTimeMs(id), terms: index === 7 ? "is:post" : `${text} | is:post` };
      }),
    );
  }, 120_000);
  afterAll(() => forms.remove());

  test("posts of many words are found by two adjacent words anywhere in the text", () => {
    for (const at of [
      0, 1, 249, 250, 251, 252, 253, 254, 255, 256, 510, 511, 512, 32_766, 32_767, 32_768, 65_534,
      65_535, 65_536, 69_998,
    ]) {
      const token = (position: number): string => (position % 251 === 0 ? "again" : `n${position}`);
      agreedCount(forms, words(token(at)));
      const found = agreedCount(forms, words(token(at), token(at + 1)));
      if (at < 69_999) expect(found, `position ${at}`).toBeGreaterThan(0);
      agreedCount(forms, words(token(at), token(at + 1), token(at + 2)));
      agreedCount(forms, words(token(at + 1), token(at)));
      agreedCount(forms, words(token(at), token(at + 2)));
    }
  });

  test("posts of many words are found by a frequent word, next to itself and to others", () => {
    for (const plan of [
      words("again"),
      words("again", "again"),
      words("again", "again", "again"),
      words("n2", "again", "again"),
      words("again", "n2", "again"),
      words("again", "n252"),
      words("n250", "again"),
      wordsAndPrefix("n25", "again"),
      wordsAndPrefix("ag", "n250"),
      wordsAndPrefix("aga", "again"),
      wordsAndPrefix("n6999"),
      not(words("again", "again")),
    ]) {
      agreedCount(forms, plan);
      counted(forms, plan);
    }
    // The words occur twice, between other words.
    expect(agreedCount(forms, words("n1", "n2", "again", "again", "n2"))).toBeGreaterThan(0);
  });
});

describe("a segment that is written to", () => {
  const posts = 300;
  let forms: SegmentForms;
  beforeAll(() => {
    forms = segmentForms(
      Array.from({ length: posts }, (_, index): IndexedPost => {
        const id = idAt(posts - 1 - index, posts);
        return { id, timeMs: idTimeMs(id), terms: `river stone${index % 5} | is:post` };
      }),
    );
  });
  afterAll(() => forms.remove());

  const id = idAt(150, posts);
  const river = (): number => counted(forms, words("river"));
  const noModeration = { hidden: false, labels: [] };

  function bothAgree(): void {
    for (const plan of [
      words("river"),
      not(words("stone3")),
      words("river", "stone1"),
      all([words("river"), not(words("river", "stone4"))]),
      words("lake"),
      any([words("lake"), words("stone2")]),
      wordsAndPrefix("sto", "river"),
    ]) {
      agreedCount(forms, plan);
      agreedCount(forms, plan, { range: { low: id - 1n, high: id + 1n } });
      counted(forms, plan);
    }
  }

  test("a post in a segment that is written to is hidden, shown, and hidden again", () => {
    expect(river()).toBe(posts);
    for (const hidden of [true, true, false, false, true]) {
      forms.write((writer) => writer.moderate(id, { ...noModeration, hidden }));
      expect(river()).toBe(hidden ? posts - 1 : posts);
      bothAgree();
    }
  });

  test("a hidden post stays hidden when it is rewritten and its segment resealed, and can then be shown", () => {
    forms.write((writer) => {
      const stored = writer.findById(id);
      if (stored !== null)
        writer.update(preparedPost(id, "river lake | is:post", idTimeMs(id)), stored);
    });
    expect(counted(forms, words("lake"))).toBe(0);
    forms.reseal();
    expect(counted(forms, words("lake"))).toBe(0);
    bothAgree();
    forms.write((writer) => writer.moderate(id, noModeration));
    expect(counted(forms, words("lake"))).toBe(1);
    bothAgree();
  });

  test("a post is deleted and stored again repeatedly, even when its segment is resealed in between", () => {
    for (let round = 0; round < 3; round++) {
      forms.write((writer) => writer.remove(id, null));
      expect(river()).toBe(posts - 1);
      bothAgree();
      if (round === 1) forms.reseal();
      forms.write((writer) =>
        writer.insert(preparedPost(id, `river lake${round} | is:post`, idTimeMs(id)), id, 1),
      );
      expect(river()).toBe(posts);
      expect(counted(forms, words(`lake${round}`))).toBe(1);
      if (round === 2) forms.reseal();
      bothAgree();
    }
  });

  test("a segment accepts new posts between, before and after all others", () => {
    const others = [idAt(posts + 5, posts), idAt(20, posts) + 1n, idAt(-5, posts)];
    forms.write((writer) => {
      for (const other of others) {
        writer.insert(preparedPost(other, "river lake9 | is:post", idTimeMs(other)), other, 1);
      }
    });
    expect(river()).toBe(posts + 3);
    bothAgree();
    forms.reseal();
    expect(counted(forms, words("lake9"))).toBe(3);
    bothAgree();
  });

  test("a segment still finds later posts when no sealed post remains", () => {
    forms.write((writer) => {
      for (let number = 0; number < posts; number++) writer.remove(idAt(number, posts), null);
    });
    expect(river()).toBe(3);
    bothAgree();
    forms.reseal();
    expect(river()).toBe(3);
    bothAgree();
  });
});

describe("the work of the worst queries", () => {
  const posts = 150_000;
  const chunks = Math.ceil(posts / postsPerChunk);
  let forms: SegmentForms;
  beforeAll(() => {
    forms = segmentForms(
      (function* (): Generator<IndexedPost> {
        for (let number = posts - 1; number >= 0; number--) {
          const id = idAt(number, posts);
          const terms = Array.from({ length: 10 }, (_, rank) => `s${rank}`).join(" ");
          const own = `w${number % 50} ${number % 2 === 0 ? "even" : "odd"}`;
          yield { id, timeMs: idTimeMs(id), terms: `${terms} ${own} | is:post` };
        }
      })(),
    );
  }, 120_000);
  afterAll(() => forms.remove());

  function queryFor(plan: PlanNode): SegmentQuery {
    const bounds = { fromMs: null, toMs: null, lowId: null, highId: null };
    const query = platformQuery("x", { conjuncts: [plan], ...bounds });
    if (query === null) throw new Error("no query");
    return { ...query, skew: defaults.skew };
  }

  const stopWords = Array.from({ length: 10 }, (_, rank) => words(`s${rank}`));
  const rareWords = Array.from({ length: 50 }, (_, rank) => words(`w${rank}`));

  test.each([
    ["nothing matches", all([words("even"), words("odd")]), 2],
    ["a phrase of frequent words that never occurs", words("s3", "s1"), 2],
    ["a phrase of four frequent words that never occurs", words("s1", "s2", "s3", "s5"), 4],
    [
      "ten stop words that exclude everything",
      all([...stopWords, words("even"), words("odd")]),
      12,
    ],
    ["everything excluded", all([words("s0"), not(words("even")), not(words("odd"))]), 3],
    ["almost nothing excluded", all([not(words("even")), not(words("odd"))]), 2],
    ["a 50-way OR without its matches", all([any(rareWords), not(words("s0"))]), 51],
    ["a 50-way OR excluded", all([words("s0"), not(any(rareWords))]), 51],
  ])(
    "the worst queries read no more containers than leaves times chunks: %s",
    (_name, plan, leaves) => {
      let checks = 0;
      const requested = queryFor(plan);
      const answer = forms.sealed.search(requested, everything, 100, () => {
        checks += 1;
        return false;
      });
      expect(answer.ids).toEqual([]);
      expect(answer.containers).toBeGreaterThan(0);
      expect(answer.containers).toBeLessThanOrEqual(leaves * chunks);
      expect(answer).toMatchObject({ candidates: 0, rechecked: 0, stoppedAt: null });
      expect(answer.statements).toBeLessThanOrEqual(2);
      // The search checks its time between chunks.
      expect(checks).toBeGreaterThanOrEqual(chunks - 1);
      const counts = forms.sealed.counter.withSnapshot(() =>
        forms.sealed.counter.count(
          requested,
          everything,
          { originMs: 0, widthMs: 1e12 },
          () => false,
        ),
      );
      expect(counts.containers).toBeLessThanOrEqual(leaves * chunks);
    },
  );

  test("a 50-way OR reads each container at most once to be counted, and finds its newest posts in the first chunk", () => {
    const plan = any(rareWords);
    expect(counted(forms, plan)).toBe(posts);
    const requested = queryFor(plan);
    const answer = forms.sealed.search(requested, everything, 100, () => false);
    expect(answer.ids).toHaveLength(100);
    expect(answer.containers).toBeLessThanOrEqual(50);
    const counts = forms.sealed.counter.count(
      requested,
      everything,
      { originMs: 0, widthMs: 1e12 },
      () => false,
    );
    expect(counts.containers).toBeLessThanOrEqual(50 * chunks);
  });

  test("a search of the worst queries stops after a chunk when its time is over, and continues below it", () => {
    const plan = all([words("even"), words("odd")]);
    const requested = queryFor(plan);
    const stops: bigint[] = [];
    for (let high = lastId; ; ) {
      const { ids, stoppedAt } = forms.sealed.search(requested, { low: 0n, high }, 100, () => true);
      expect(ids).toEqual([]);
      if (stoppedAt === null) break;
      stops.push(stoppedAt);
      high = stoppedAt - 1n;
      expect(stops.length).toBeLessThan(10);
    }
    expect(stops).toHaveLength(chunks - 1);
    for (const [chunk, stop] of stops.entries()) {
      const next = (chunk + 1) * postsPerChunk;
      expect(stop <= idAt(next - 1, posts) && stop > idAt(next, posts)).toBe(true);
    }
  });
});
