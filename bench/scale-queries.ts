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
  const singleTokenWords = [...frequencies].filter(([word]) => querySequence(word).length === 1);
  const frequentWords = singleTokenWords
    .filter(([, posts]) => posts > frequentAbove)
    .map(([word]) => word);
  const rareWords = singleTokenWords
    .filter(([, posts]) => posts >= 2 && posts < rareBelow)
    .map(([word]) => word);
  const isSingle = new Set(singleTokenWords.map(([word]) => word));
  const isFrequent = new Set(frequentWords);
  const frequentWordsOf = ({ words }: Sample): string[] => [
    ...new Set(words.filter((word) => isFrequent.has(word))),
  ];
  const samplesByFrequentWords = [1, 2, 3].map((min) =>
    samples.filter((sample) => frequentWordsOf(sample).length >= min),
  );
  const taggedSamples = samples.filter(({ tags }) => tags.length > 0);
  const samplesWithLanguage = (samplesByFrequentWords[0] ?? []).filter(({ lang }) => lang !== null);
  const drawMany = (draw: () => string): string[] => Array.from({ length: count }, draw);
  const combineFrequentWords = (words: number): string => {
    const remainingWords = frequentWordsOf(pick(samplesByFrequentWords[words - 1] ?? []));
    const drawnWords: string[] = [];
    while (drawnWords.length < words) {
      drawnWords.push(...remainingWords.splice(Math.floor(random() * remainingWords.length), 1));
    }
    return drawnWords.join(" ");
  };
  const drawPhrase = (): string => {
    for (;;) {
      const { words } = pick(samples);
      const index = Math.floor(random() * (words.length - 1));
      const pair = words.slice(index, index + 2);
      if (pair.every((word) => isSingle.has(word))) return `"${pair.join(" ")}"`;
    }
  };
  return [
    { name: "common term", queries: drawMany(() => pick(frequentWords)) },
    { name: "rare term", queries: drawMany(() => pick(rareWords)) },
    { name: "two frequent terms", queries: drawMany(() => combineFrequentWords(2)) },
    { name: "three frequent terms", queries: drawMany(() => combineFrequentWords(3)) },
    { name: "phrase", queries: drawMany(drawPhrase) },
    {
      name: "term with NOT",
      queries: drawMany(() => `${pick(frequentWords)} -${pick(frequentWords)}`),
    },
    {
      name: "OR of two",
      queries: drawMany(() => `${pick(frequentWords)} OR ${pick(frequentWords)}`),
    },
    { name: "from:", queries: drawMany(() => `from:${pick(samples).author}`) },
    {
      name: "author and term",
      queries: drawMany(() => {
        const sample = pick(samplesByFrequentWords[0] ?? []);
        return `from:${sample.author} ${pick(frequentWordsOf(sample))}`;
      }),
    },
    { name: "hashtag", queries: drawMany(() => `#${pick(pick(taggedSamples).tags)}`) },
    {
      name: "term in the oldest tenth",
      queries: drawMany(() => `${pick(frequentWords)} until:${isoDay(oldestTenthMs)}`),
    },
    {
      name: "lang: with term",
      queries: drawMany(() => {
        const sample = pick(samplesWithLanguage);
        return `lang:${sample.lang} ${pick(frequentWordsOf(sample))}`;
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
