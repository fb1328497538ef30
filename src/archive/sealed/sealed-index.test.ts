import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeSealedTables } from "../../../testkit/archives/sealed-tables.ts";
import { type ChunkSet, countBetween, listSet, readMembers } from "./chunk-set.ts";
import { SealedDamageError } from "./damage.ts";
import type { SealedWork } from "./evaluate.ts";
import { bytesPerBitmap, postsPerChunk, sealedMigrations } from "./format.ts";
import {
  type ChunkMatches,
  type DocNumberRange,
  openSealedIndex,
  type SealedIndex,
  termsPerStep,
} from "./sealed-index.ts";
import type { SealedQuery } from "./sealed-query.ts";
import { createTermCache, type TermCache } from "./term-cache.ts";

const longWord = "long".repeat(40);

const words = Array.from({ length: 2_048 }, (_, rank) => `w${rank}`);
const pairs = Array.from({ length: 2_048 }, (_, rank) => `日${String.fromCharCode(0x4e00 + rank)}`);

const total = 2 * postsPerChunk + 1_234;
const posts = corpus();
const postsByToken = indexPosts();
let database: DatabaseSync;
let index: SealedIndex;

beforeAll(() => {
  database = new DatabaseSync(":memory:");
  database.exec(sealedMigrations.join(""));
  const ids = posts.map((_, number) => BigInt(10_000_000 - 3 * number));
  writeSealedTables(database, posts, ids, 1_000);
  index = open();
}, 60_000);

afterAll(() => {
  index.close();
  database.close();
});

function open(maxBytes = 1 << 24): SealedIndex {
  const terms = createTermCache(maxBytes);
  const opened = openSealedIndex(database, { name: "test", terms, ids: null });
  if (opened === null) throw new Error("there is no sealed index");
  return opened;
}

function corpus(): string[][] {
  const created: string[][] = [];
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let number = 0; number < total; number++) {
    const tokens: string[] = [];
    created.push(tokens);
    const isMostlyEmpty = number >= postsPerChunk && number < 2 * postsPerChunk && number % 8 !== 0;
    if (isMostlyEmpty) continue;
    const length = random(5);
    for (let position = 0; position < length; position++)
      tokens.push(word(random(1 << random(12))));
    if (random(4) === 0) tokens.push(pairs[random(1 << random(12))] ?? "");
    tokens.push("|");
    if (random(3) === 0) tokens.push("lang:en");
  }
  const edges = [1, 64, 65, 4_000, 4_001, 4_095, 4_096, 4_097, 8_193, 65_535, 65_536, 65_537];
  for (const count of edges) {
    for (let number = 0; number < count; number++) created[number]?.unshift(`first${count}`);
    for (let number = 0; number < count; number++)
      created[total - 1 - number]?.push(`last${count}`);
  }
  created[1] = ["only1"];
  created[2] = ["only2"];
  for (let number = 0; number < total; number += 3_001) {
    created[number]?.push(
      ...(number % 2 === 0 ? ["once", "w0", "once", "again"] : ["again", "w0", "once"]),
    );
  }
  const songs = [
    ["ha", "ho", "ha"],
    ["ho", "ha", "ho", "ha"],
    ["ha", "ho", "he", "ho", "ha"],
  ];
  for (let number = 20_000; number < 29_000; number++) {
    created[number]?.push(...(songs[number % songs.length] ?? []));
  }
  for (const [number, length] of [
    [7, 300],
    [postsPerChunk - 1, 300],
    [postsPerChunk, 40_000],
    [total - 1, 40_000],
  ] as const) {
    const filler = Array.from({ length }, (_, position) => word(position % 3));
    created[number] = [...(created[number] ?? []), ...filler, "far", "the", "end", longWord];
  }
  return created;
}

function indexPosts(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [number, tokens] of posts.entries()) {
    for (const token of new Set(tokens)) {
      const numbers = found.get(token);
      if (numbers === undefined) found.set(token, [number]);
      else numbers.push(number);
    }
  }
  return found;
}

function word(rank: number): string {
  return words[rank] ?? "";
}

const nothing = (): Uint8Array => new Uint8Array(total);

function naive(query: SealedQuery): Uint8Array {
  switch (query.kind) {
    case "every":
      return nothing().fill(1);
    case "none":
      return nothing();
    case "term":
      return postsWith([query.term], null);
    case "phrase":
      return postsWith(query.terms, null);
    case "prefix":
      return postsWith(query.terms, query.prefix);
    case "or":
      return query.children.reduce((found, child) => joined(found, naive(child)), nothing());
    case "and": {
      const expected = query.children.reduce(
        (found, child) => cut(found, naive(child), 1),
        nothing().fill(1),
      );
      return query.excluded.reduce((found, child) => cut(found, naive(child), 0), expected);
    }
  }
}

function joined(found: Uint8Array, other: Uint8Array): Uint8Array {
  for (let n = 0; n < total; n++) found[n] = (found[n] ?? 0) | (other[n] ?? 0);
  return found;
}

function cut(found: Uint8Array, other: Uint8Array, kept: 0 | 1): Uint8Array {
  for (let n = 0; n < total; n++) if (other[n] !== kept) found[n] = 0;
  return found;
}

function postsWith(terms: readonly string[], prefix: string | null): Uint8Array {
  const flags = nothing();
  const [first] = terms;
  const firsts =
    first === undefined
      ? [...postsByToken.keys()].filter((text) => text.startsWith(prefix ?? ""))
      : [first];
  const isSingle = terms.length + (prefix === null ? 0 : 1) === 1;
  for (const text of firsts) {
    for (const number of postsByToken.get(text) ?? []) {
      if (isSingle || occursIn(posts[number] ?? [], terms, prefix)) flags[number] = 1;
    }
  }
  return flags;
}

function occursIn(
  post: readonly string[],
  terms: readonly string[],
  prefix: string | null,
): boolean {
  const length = terms.length + (prefix === null ? 0 : 1);
  for (let start = 0; start + length <= post.length; start++) {
    let position = 0;
    while (position < terms.length && post[start + position] === terms[position]) position += 1;
    if (position < terms.length) continue;
    if (prefix === null || post[start + position]?.startsWith(prefix)) return true;
  }
  return false;
}

const everything: DocNumberRange = { from: 0, to: total };
const numbers = new Uint16Array(postsPerChunk);

function search(query: SealedQuery, range = everything, from = index): Uint8Array {
  const flags = nothing();
  for (const step of from.matches(query, range, () => null, { containers: 0 })) {
    flag(flags, step);
  }
  return flags;
}

function flag(flags: Uint8Array, { chunk, set, from, to }: ChunkMatches): void {
  const count = readMembers(set, from, to, numbers, postsPerChunk);
  for (let n = 0; n < count; n++) flags[chunk * postsPerChunk + (numbers[n] ?? 0)] = 1;
}

function differences(found: Uint8Array, expected: Uint8Array): number[] {
  if (Buffer.compare(found, expected) === 0) return [];
  return [...found.keys()].filter((number) => found[number] !== expected[number]).slice(0, 5);
}

const term = (text: string): SealedQuery => ({ kind: "term", term: text });
const phrase = (...terms: string[]): SealedQuery => ({ kind: "phrase", terms });
const prefix = (last: string, ...terms: string[]): SealedQuery => ({
  kind: "prefix",
  terms,
  prefix: last,
});
const or = (...children: SealedQuery[]): SealedQuery => ({ kind: "or", children });
const and = (...children: SealedQuery[]): SealedQuery => ({ kind: "and", children, excluded: [] });
const not = (...excluded: SealedQuery[]): SealedQuery => ({ kind: "and", children: [], excluded });
const without = (child: SealedQuery, ...excluded: SealedQuery[]): SealedQuery => ({
  kind: "and",
  children: [child],
  excluded,
});

describe("the matches of a query", () => {
  test.each<[string, SealedQuery]>([
    ["every post", { kind: "every" }],
    ["nothing", { kind: "none" }],
    ["a frequent word", term("w0")],
    ["a facet", term("lang:en")],
    ["a rare word", term("w2047")],
    ["a word that no post contains", term("missing")],
    ["a word that sorts before all others", term("!")],
    ["a word that sorts after all others", term("\u{10ffff}")],
    ["a word that is a prefix of others", term("w")],
    ["a word longer than 64 bytes", term(longWord)],
    ["words far into a long post", phrase("far", "the", "end", longWord)],
    ["a phrase of a frequent word and one far into a long post", phrase("w2", "far")],
    ["a phrase of frequent words", phrase("w0", "w1")],
    ["a phrase with a word twice", phrase("w0", "w0")],
    ["a phrase with a word three times", phrase("w1", "w0", "w1")],
    ["a long phrase with a word twice in thousands of posts", phrase("ha", "ho", "ha")],
    ["a phrase in fewer posts than its words", phrase("ho", "ha", "ho")],
    ["a longer phrase with two words twice", phrase("ho", "ha", "ho", "ha")],
    [
      "a phrase that no post contains, though posts contain its words",
      phrase("ha", "ho", "ha", "ho"),
    ],
    ["a phrase that repeats one frequent word", phrase("w0", "w0", "w0")],
    ["a phrase of rare words", phrase("once", "again")],
    ["a phrase of rare words and a frequent one", phrase("again", "w0", "once")],
    ["a phrase with a missing word", phrase("w0", "missing")],
    ["a phrase with all kinds of containers", phrase("first4097", "first4096", "first4095")],
    ["a phrase at the end of the posts", phrase("last64", "last65", "last4095")],
    ["a prefix of thousands of terms", prefix("日")],
    ["a prefix of terms that are not in every chunk", prefix("first")],
    ["a prefix of terms that are in other chunks", prefix("last")],
    ["a prefix of no term", prefix("本")],
    ["a prefix that is a whole term", prefix("w2047")],
    ["a prefix of words and facets", prefix("l")],
    ["a phrase that ends in a prefix", prefix("日", "w0")],
    ["a longer phrase that ends in a prefix", prefix("w1", "w0", "w0")],
    ["a phrase that ends in the prefix of frequent words", prefix("w", "w3")],
    ["a phrase of a missing word and a prefix", prefix("w", "missing")],
    ["a negated word", not(term("w0"))],
    ["a word or the negation of another one", or(term("w900"), not(term("w1")))],
    ["a negated group of words", not(term("w0"), or(term("w1"), not(term("lang:en"))))],
    ["a word without another", without(term("w3"), term("w0"), phrase("w1", "w2"))],
    ["a word without itself", without(term("w3"), term("w3"))],
    [
      "a phrase without groups",
      without(phrase("w0", "w1"), and(term("w2"), or(term("w3"), term("w5")))),
    ],
    [
      "phrases without groups of phrases",
      without(and(phrase("w0", "w0"), phrase("w0", "w1")), and(phrase("w1", "w0"), term("w3"))),
    ],
    [
      "a rare word in one of many groups",
      and(term("once"), or(term("w1"), term("lang:en"), term("again")), or(term("w2"), term("w0"))),
    ],
    ["phrases in a group next to a word", and(term("w20"), or(phrase("w0", "w1"), term("w2")))],
    ["an OR of nothing", or()],
    ["an AND of nothing", and()],
    ["a nested AND", and(or(and(term("w1"), phrase("w0", "w1")), term("w40")), term("w2"))],
  ])("the sealed index finds the matches of %s", (_name, query) => {
    expect(differences(search(query), naive(query))).toEqual([]);
  });
});

const someTerm = fc.oneof(
  fc.nat(5).map((rank) => words[rank] ?? ""),
  fc.nat(2_047).map((rank) => words[rank] ?? ""),
  fc.constantFrom("lang:en", "first64", "first4097", "last8193", "last65536", "missing"),
);
const someWord = fc.oneof(
  fc.nat(9).map((rank) => words[rank] ?? ""),
  fc.constantFrom("first4096", "first65", "日一", "missing"),
);
const leaf: fc.Arbitrary<SealedQuery> = fc.oneof(
  { weight: 5, arbitrary: someTerm.map(term) },
  {
    weight: 3,
    arbitrary: fc
      .array(someWord, { minLength: 2, maxLength: 3 })
      .map((terms): SealedQuery => ({ kind: "phrase", terms })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("w1", "w20", "日", "日一", "first"),
        fc.array(someWord, { maxLength: 1 }),
      )
      .map(([last, terms]) => prefix(last, ...terms)),
  },
  { weight: 1, arbitrary: fc.constantFrom<SealedQuery>({ kind: "every" }, { kind: "none" }) },
);
const { tree } = fc.letrec<{ tree: SealedQuery }>((tie) => {
  const some = fc.array(tie("tree"), { maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      leaf,
      some.map((children): SealedQuery => ({ kind: "or", children })),
      fc
        .tuple(some, some)
        .map(([children, excluded]): SealedQuery => ({ kind: "and", children, excluded })),
    ),
  };
});

test("the sealed index finds the matches of random queries in random ranges", () => {
  fc.assert(
    fc.property(tree, fc.nat(total), fc.nat(total), (query, value, other) => {
      const range = { from: Math.min(value, other), to: Math.max(value, other) };
      const expected = naive(query).fill(0, 0, range.from).fill(0, range.to);
      expect(differences(search(query, range), expected)).toEqual([]);
    }),
    {
      numRuns: 10,
      examples: [
        [phrase("w0", "w1", "w0"), postsPerChunk - 1, postsPerChunk + 1],
        [and(term("first65536"), not(phrase("ha", "ho", "ha"))), 0, total],
        [prefix("日", "w1"), total, total],
      ],
    },
  );
});

test("the sealed index finds the same matches without a cache", () => {
  const uncached = open(0);
  for (const query of [phrase("w0", "w1"), prefix("日", "w0"), not(term("w5"))]) {
    const uncachedMatches = search(query, everything, uncached);
    expect(differences(uncachedMatches, search(query))).toEqual([]);
  }
  uncached.close();
});

test("the sealed index finds the matches of groups as deeply nested and as large as queries allow", () => {
  let query: SealedQuery = or(...words.slice(0, 256).map(term));
  for (let depth = 0; depth < 20; depth++) {
    query = depth % 2 === 0 ? without(query, term("missing")) : or(query, phrase("w900", "w901"));
  }
  const flat = or(...words.slice(0, 256).map(term), phrase("w900", "w901"));
  expect(differences(search(query), naive(flat))).toEqual([]);
});

describe("the steps of a search", () => {
  const steps = (query: SealedQuery, range: DocNumberRange): [number, number, number, number][] =>
    Array.from(
      index.matches(query, range, () => null, work()),
      ({ chunk, set, from, to }) => [chunk, from, to, countBetween(set, from, to)],
    );
  const whole = postsPerChunk;

  test.each<[string, SealedQuery, DocNumberRange, [number, number, number, number][]]>([
    [
      "all",
      { kind: "every" },
      everything,
      [
        [0, 0, whole, whole],
        [1, 0, whole, whole],
        [2, 0, 1_234, 1_234],
      ],
    ],
    [
      "those with candidates, if the range ends after the last post",
      term("last1"),
      { from: 0, to: 10 ** 9 },
      [[2, 0, 1_234, 1]],
    ],
    [
      "those with candidates, and the last chunk of the range",
      term("last1"),
      { from: 0, to: 70_000 },
      [[1, 0, 4_464, 0]],
    ],
    ["within one chunk", { kind: "every" }, { from: 70_000, to: 70_010 }, [[1, 4_464, 4_474, 10]]],
    [
      "up to a chunk boundary",
      { kind: "every" },
      { from: 65_535, to: 65_536 },
      [[0, 65_535, whole, 1]],
    ],
    ["from a chunk boundary", { kind: "none" }, { from: 65_536, to: 65_537 }, [[1, 0, 1, 0]]],
    [
      "across a chunk boundary",
      { kind: "every" },
      { from: 65_535, to: 65_537 },
      [
        [0, 65_535, whole, 1],
        [1, 0, 1, 1],
      ],
    ],
    ["none of an empty range", { kind: "every" }, { from: 5, to: 5 }, []],
    ["none after the last post", { kind: "every" }, { from: total, to: total + 9 }, []],
  ])("a search steps through the chunks of a range: %s", (_name, query, range, expected) => {
    expect(steps(query, range)).toEqual(expected);
  });

  test("the last step of a search has no more members than there are posts", () => {
    const [last] = index.matches(
      { kind: "every" },
      { from: total - 1, to: total },
      () => null,
      work(),
    );
    expect(last && countBetween(last.set, 0, postsPerChunk)).toBe(1_234);
  });

  test("the steps of a search omit excluded posts", () => {
    const left = listSet(Uint16Array.of(0, 2, 4_000), 3);
    const foundNumbers: number[] = [];
    const requestedChunks: number[] = [];
    const omitted = (chunk: number): ChunkSet | null => {
      requestedChunks.push(chunk);
      return chunk === 1 ? left : null;
    };
    const query = or(term("first64"), { kind: "every" });
    for (const { set, from, to } of index.matches(query, everything, omitted, { containers: 0 })) {
      foundNumbers.push(countBetween(set, from, to));
    }
    expect(requestedChunks).toEqual([0, 1, 2]);
    expect(foundNumbers).toEqual([postsPerChunk, postsPerChunk - 3, 1_234]);
  });

  test("the steps of a search are correct while other searches begin", () => {
    const [query, otherQuery] = [phrase("w0", "w1"), or(term("w7"), term("w8"))];
    const alone = naive(query);
    const flags = nothing();
    for (const step of index.matches(query, everything, () => null, work())) {
      search(otherQuery);
      for (const other of index.matches(otherQuery, everything, () => null, work())) {
        flag(flags, step);
        if (other.chunk === 1) break;
      }
    }
    expect(differences(flags, alone)).toEqual([]);
  });

  test("a search reads at most one container per term and chunk", () => {
    const searchWork = work();
    const query = and(or(...words.slice(0, 50).map(term)), phrase("w0", "w1", "w0"), term("w2"));
    Array.from(index.matches(query, everything, () => null, searchWork));
    expect(searchWork.containers).toBeGreaterThan(0);
    expect(searchWork.containers).toBeLessThanOrEqual(3 * 53);
    const none = work();
    Array.from(index.matches(and(term("w0"), term("missing")), everything, () => null, none));
    expect(none.containers).toBe(0);
  });
});

const work = (): SealedWork => ({ containers: 0 });

describe("the number of containers read for few candidates", () => {
  const [w0, w1, one, other] = [term("w0"), term("w1"), term("only1"), term("only2")];
  const phrases = or(phrase("w0", "w1"), phrase("w1", "w0"));

  test.each<[string, SealedQuery, number]>([
    ["the rarest terms come first", and(w0, w1, one, other), 2],
    ["groups come after terms", and(or(w0, w1), one, other), 2],
    ["phrases come after groups", and(phrase("w0", "w1"), or(one, w0), other), 3],
    ["phrases in groups are searched only in the candidates", and(one, phrases), 3],
    ["excluded phrases come last", without(one, phrase("w0", "w1"), one), 2],
    ["a missing term ends the search", and(w0, w1, term("missing")), 0],
  ])(
    "a search reads few containers if few candidates are left, because %s",
    (_name, query, containers) => {
      const searchWork = work();
      Array.from(index.matches(query, { from: 0, to: postsPerChunk }, () => null, searchWork));
      expect(searchWork.containers).toBe(containers);
    },
  );
});

describe("looking up many prefixes", () => {
  const manyPrefixes = or(
    prefix("w"),
    prefix("日"),
    ...Array.from({ length: 100 }, (_, n) => prefix(`w${n}`)),
    ...Array.from({ length: 20 }, (_, n) => prefix(`none${n}`)),
    prefix("w1", "w0"),
  );
  const noCacheBytes = 1;

  function inSlices(query: SealedQuery, from: SealedIndex) {
    const flags = nothing();
    const searchWork = { containers: 0, termReads: 0 };
    let max = 0;
    let slices = 0;
    for (let offset = 0; offset < total; slices++) {
      const before = searchWork.termReads;
      const steps = from.matches(query, { from: offset, to: total }, () => null, searchWork);
      const step = steps.next();
      steps.return();
      max = Math.max(max, searchWork.termReads - before);
      if (step.done) break;
      flag(flags, step.value);
      offset = step.value.chunk * postsPerChunk + step.value.to;
    }
    return { flags, max, slices, termReads: searchWork.termReads };
  }

  test("each step of a search looks up at most a few hundred terms of many prefixes", () => {
    const opened = open(noCacheBytes);
    const { flags, max, slices } = inSlices(manyPrefixes, opened);
    expect(differences(flags, search(manyPrefixes))).toEqual([]);
    expect(slices).toBeGreaterThan(20);
    expect(max).toBeLessThanOrEqual(3 * termsPerStep);
    opened.close();
  });

  test("looking up many prefixes in separate slices reads no more terms than in a single one", () => {
    const opened = open(noCacheBytes);
    const alone = { containers: 0, termReads: 0 };
    Array.from(opened.matches(or(manyPrefixes), everything, () => null, alone));
    expect(inSlices(manyPrefixes, opened).termReads).toBeLessThanOrEqual(alone.termReads);
    opened.close();
  });

  test("two interleaved queries with many prefixes find the same posts as each does separately", () => {
    const opened = open();
    const [first, second] = [or(prefix("w")), or(prefix("w"), prefix("日"))];
    const found = [nothing(), nothing()];
    const searches = [first, second].map((query) =>
      opened.matches(query, everything, () => null, work()),
    );
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const [index, steps] of searches.entries()) {
        const step = steps.next();
        if (step.done) continue;
        flag(found[index] ?? nothing(), step.value);
        isDone = false;
      }
    }
    expect(differences(found[0] ?? nothing(), naive(first))).toEqual([]);
    expect(differences(found[1] ?? nothing(), naive(second))).toEqual([]);
    opened.close();
  });

  test("a search with few terms looks them up without extra steps", () => {
    const steps = [
      ...index.matches(and(term("w0"), phrase("w0", "w1")), everything, () => null, work()),
    ];
    expect(steps).toHaveLength(3);
  });
});

test("a phrase of terms without positions is rejected", () => {
  expect(() => search(phrase("lang:en", "|"))).toThrow("without positions");
});

test("the sealed index reports the size of cached postings", () => {
  let bytes = 0;
  const terms: TermCache = {
    open: () => ({
      find: () => undefined,
      get: (_key, make) => make((more) => (bytes += more)),
      close: () => undefined,
    }),
  };
  const opened = openSealedIndex(database, { name: "other", terms, ids: null });
  if (opened === null) throw new Error("there is no sealed index");
  search(term("missing"), everything, opened);
  expect(bytes).toBe(0);
  for (const query of [term("w0"), phrase("w0", "w1"), prefix("日")]) {
    const before = bytes;
    search(query, everything, opened);
    expect(bytes - before).toBeGreaterThan(bytesPerBitmap);
  }
  opened.close();
});

describe("a segment", () => {
  const bare = (): DatabaseSync => {
    const created = new DatabaseSync(":memory:");
    created.exec(sealedMigrations.join(""));
    return created;
  };
  const openBare = (created: DatabaseSync): SealedIndex | null =>
    openSealedIndex(created, { name: "bare", terms: createTermCache(1_000), ids: null });

  test("a segment that has never been sealed has no sealed index", () => {
    expect(openBare(bare())).toBeNull();
  });

  test("a segment without posts has an empty sealed index", () => {
    const created = bare();
    writeSealedTables(created, [], [], 7);
    const empty = openBare(created);
    expect(empty?.posts).toBe(0);
    expect(empty?.sealedMs).toBe(7);
    const range = { from: 0, to: 10 };
    expect([...(empty?.matches(not(term("a")), range, () => null, work()) ?? [])]).toEqual([]);
  });

  test("a segment sealed by a later version is reported as damaged", () => {
    const created = bare();
    writeSealedTables(created, [], [], 7);
    created.exec("UPDATE sealed SET format = 3");
    expect(() => openBare(created)).toThrow(SealedDamageError);
  });
});
