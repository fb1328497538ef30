import { parseQuery } from "@earshot/query";
import type { Random } from "./random-trees.ts";
import { zipfAccount, zipfCharacter, zipfWord } from "./zipf-posts.ts";

/** Joined as `groups`, one clause of each group must match. */
export type QueryShape = { joined: "and" | "or" | "groups"; clauses: readonly Clause[] };

type Clause = {
  kind: "word" | "character" | "phrase" | "characters" | "pair" | "from" | "group";
  isExcluded: boolean;
  /** Word ranks: lower is more frequent. */
  ranks: readonly number[];
};

const kinds = ["word", "character", "phrase", "characters", "pair", "from", "group"] as const;
const maxClauses = 256;

export function queryText({ joined, clauses }: QueryShape): string {
  const texts = clauses.map(printClause);
  const join = (count: number): string => {
    const parts = texts.slice(0, count);
    if (joined === "and") return parts.join(" ");
    if (joined === "or") return parts.join(" OR ");
    const groups = Array.from({ length: Math.ceil(parts.length / 4) }, (_, group) =>
      parts.slice(group * 4, group * 4 + 4).join(" OR "),
    );
    return groups.map((group) => `(${group})`).join(" ");
  };
  let min = 1;
  let max = texts.length;
  while (min < max) {
    const middle = Math.ceil((min + max) / 2);
    if (isAccepted(join(middle))) min = middle;
    else max = middle - 1;
  }
  return join(min);
}

export function isAccepted(query: string): boolean {
  try {
    parseQuery(query);
    return true;
  } catch {
    return false;
  }
}

function printClause({ kind, isExcluded, ranks }: Clause): string {
  const words = ranks.map(zipfWord);
  const characters = ranks.map(zipfCharacter);
  const bodies = {
    word: words[0],
    character: characters[0],
    phrase: `"${words.join(" ")}"`,
    characters: `"${characters.join("")}"`,
    pair: `"${words.join(" * ")}"`,
    from: `from:${zipfAccount(ranks[0] ?? 0)}`,
    group: `(${words.join(" ")})`,
  } as const;
  return `${isExcluded ? "-" : ""}${bodies[kind]}`;
}

export function knownShapes(): QueryShape[] {
  const clauses = (kind: Clause["kind"], count: number, ranksOf: (index: number) => number[]) =>
    Array.from(
      { length: count },
      (_, index): Clause => ({ kind, isExcluded: false, ranks: ranksOf(index) }),
    );
  const exclude = (list: readonly Clause[]): Clause[] =>
    list.map((clause) => ({ ...clause, isExcluded: true }));
  const words = clauses("word", 255, (at) => [at + 1]);
  const characters = clauses("character", 250, (at) => [at]);
  return [
    { joined: "and", clauses: [...clauses("word", 1, () => [0]), ...exclude(words)] },
    {
      joined: "or",
      clauses: clauses("phrase", 80, (at) => [at % 12, 300 + at, Math.floor(at / 12)]),
    },
    { joined: "or", clauses: clauses("phrase", 128, (at) => [at % 12, Math.floor(at / 12)]) },
    { joined: "and", clauses: clauses("phrase", 1, () => Array<number>(256).fill(0)) },
    {
      joined: "and",
      clauses: [...exclude(characters), ...clauses("characters", 1, () => [1, 2])],
    },
    { joined: "or", clauses: characters },
    { joined: "groups", clauses: characters },
    { joined: "and", clauses: exclude(clauses("pair", 80, (at) => [at % 10, 40 + at, at % 7])) },
    { joined: "groups", clauses: clauses("group", 100, (at) => [at % 30, 10 + at]) },
  ];
}

const integerBelow = (random: Random, below: number): number => Math.floor(random() * below);
const drawRank = (random: Random): number => integerBelow(random, 1 + 4_000 * random() ** 4);

const drawClause = (random: Random): Clause => ({
  kind: kinds[integerBelow(random, kinds.length)] ?? "word",
  isExcluded: random() < 0.3,
  ranks: Array.from({ length: 1 + integerBelow(random, 4) }, () => drawRank(random)),
});

export function mutate({ joined, clauses }: QueryShape, random: Random): QueryShape {
  const kind = random();
  const index = integerBelow(random, clauses.length);
  if (kind < 0.1)
    return {
      joined: (["and", "or", "groups"] as const)[integerBelow(random, 3)] ?? "and",
      clauses,
    };
  if (kind < 0.25 && clauses.length > 1)
    return { joined, clauses: clauses.filter((_, value) => value !== index) };
  if (kind < 0.4) return { joined, clauses: [...clauses, drawClause(random)].slice(-maxClauses) };
  if (kind < 0.6) {
    const offset = integerBelow(random, 50);
    const shiftedClauses = clauses.map((clause) => ({
      ...clause,
      ranks: clause.ranks.map((rank) => rank + offset),
    }));
    return { joined, clauses: [...clauses.slice(0, index), ...shiftedClauses.slice(index)] };
  }
  if (kind < 0.75) {
    const drawnClause = drawClause(random);
    return { joined, clauses: clauses.map((clause) => ({ ...clause, kind: drawnClause.kind })) };
  }
  return {
    joined,
    clauses: clauses.map((clause, value) => (value === index ? drawClause(random) : clause)),
  };
}
