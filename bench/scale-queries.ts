import { querySequence } from "@earshot/query/text";
import { iraPosts } from "./ira.ts";
import { seededRandom } from "./measure.ts";
import type { QueryKind } from "./queries.ts";

type Sample = { words: string[]; author: string; tags: string[]; lang: "en" | "ru" | null };

/** Frequent words occur in more of the 600,000 posts than this; rare words occur in 2 to 19. */
const frequentAbove = 5_000;
const rareBelow = 20;
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const languages: Readonly<Record<string, "en" | "ru">> = { English: "en", Russian: "ru" };

/**
 * Twelve kinds, the same in every run. Words in one query occur together in some post, except in OR
 * and NOT queries.
 */
export async function drawScaleQueries(count: number): Promise<QueryKind[]> {
  const random = seededRandom(11);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  };
  const { samples, frequencies, oldestTenthMs } = await readSamples();
  const single = [...frequencies].filter(([word]) => querySequence(word).length === 1);
  const frequent = single.filter(([, posts]) => posts > frequentAbove).map(([word]) => word);
  const rare = single.filter(([, posts]) => posts >= 2 && posts < rareBelow).map(([word]) => word);
  const isSingle = new Set(single.map(([word]) => word));
  const isFrequent = new Set(frequent);
  const frequentOf = ({ words }: Sample): string[] => [
    ...new Set(words.filter((word) => isFrequent.has(word))),
  ];
  const withFrequent = [1, 2, 3].map((min) =>
    samples.filter((sample) => frequentOf(sample).length >= min),
  );
  const tagged = samples.filter(({ tags }) => tags.length > 0);
  const inLanguage = (withFrequent[0] ?? []).filter(({ lang }) => lang !== null);
  const many = (draw: () => string): string[] => Array.from({ length: count }, draw);
  const together = (words: number): string => {
    const firstWord = frequentOf(pick(withFrequent[words - 1] ?? []));
    const drawn: string[] = [];
    while (drawn.length < words) {
      drawn.push(...firstWord.splice(Math.floor(random() * firstWord.length), 1));
    }
    return drawn.join(" ");
  };
  const phrase = (): string => {
    for (;;) {
      const { words } = pick(samples);
      const index = Math.floor(random() * (words.length - 1));
      const pair = words.slice(index, index + 2);
      if (pair.every((word) => isSingle.has(word))) return `"${pair.join(" ")}"`;
    }
  };
  return [
    { name: "common term", queries: many(() => pick(frequent)) },
    { name: "rare term", queries: many(() => pick(rare)) },
    { name: "two frequent terms", queries: many(() => together(2)) },
    { name: "three frequent terms", queries: many(() => together(3)) },
    { name: "phrase", queries: many(phrase) },
    { name: "term with NOT", queries: many(() => `${pick(frequent)} -${pick(frequent)}`) },
    { name: "OR of two", queries: many(() => `${pick(frequent)} OR ${pick(frequent)}`) },
    { name: "from:", queries: many(() => `from:${pick(samples).author}`) },
    {
      name: "author and term",
      queries: many(() => {
        const sample = pick(withFrequent[0] ?? []);
        return `from:${sample.author} ${pick(frequentOf(sample))}`;
      }),
    },
    { name: "hashtag", queries: many(() => `#${pick(pick(tagged).tags)}`) },
    {
      name: "term in the oldest tenth",
      queries: many(() => `${pick(frequent)} until:${isoDay(oldestTenthMs)}`),
    },
    {
      name: "lang: with term",
      queries: many(() => {
        const sample = pick(inLanguage);
        return `lang:${sample.lang} ${pick(frequentOf(sample))}`;
      }),
    },
  ];
}

/** Queries that consist of the most frequent words. */
export async function worstQueries(): Promise<QueryKind[]> {
  const { frequencies } = await readSamples();
  const byFrequency = [...frequencies]
    .filter(([word]) => querySequence(word).length === 1)
    .sort((a, b) => b[1] - a[1])
    .map(([word]) => word);
  const words = (from: number, to: number): string[] => byFrequency.slice(from, to);
  const [first = "", second = ""] = byFrequency;
  return [
    { name: "nothing matches", queries: [`${first} ${second} -(${first} ${second})`] },
    { name: "nothing matches: a phrase", queries: [`"${first} ${first} ${second} ${first}"`] },
    {
      name: "nothing matches: words of several languages",
      queries: [`${first} ${words(1, 40).join(" ")}`],
    },
    { name: "all excluded", queries: [`${first} -is:retweet -(-is:retweet)`] },
    {
      name: "nearly all excluded: ten languages",
      queries: [
        `${first} ${["en", "ru", "und", "de", "uk", "es", "it", "fr", "ar", "bg"].map((tag) => `-lang:${tag}`).join(" ")}`,
      ],
    },
    { name: "50-way OR", queries: [words(0, 50).join(" OR ")] },
    { name: "50-way OR of rare words", queries: [words(40_000, 40_050).join(" OR ")] },
    { name: "ten stop words", queries: [words(0, 10).join(" ")] },
    { name: "ten stop words of one language", queries: ["the to of in a and for is on with"] },
  ];
}

async function readSamples(): Promise<{
  samples: Sample[];
  frequencies: ReadonlyMap<string, number>;
  oldestTenthMs: number;
}> {
  const frequencies = new Map<string, number>();
  const samples: Sample[] = [];
  const times: number[] = [];
  for await (const post of iraPosts()) {
    const words = post.text
      .replace(/https?:\S+|[@#]\w+|&\w+;/g, " ")
      .split(/[^\p{L}]+/u)
      .filter((word) => word.length > 1)
      .map((word) => word.toLowerCase());
    for (const word of new Set(words)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    const index = times.push(Date.parse(post.created_at));
    if (index % 37 !== 0 || words.length < 5) continue;
    const tags = [...post.text.matchAll(/(?<=^|\s)#(\p{L}{3,})(?=\s|$)/gu)].map(
      ([, tag = ""]) => tag,
    );
    samples.push({ words, author: post.author, tags, lang: languages[post.language] ?? null });
  }
  return { samples, frequencies, oldestTenthMs: times[Math.floor(times.length / 10)] ?? 0 };
}
