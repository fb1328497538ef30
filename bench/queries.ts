import { querySequence } from "@earshot/query/text";
import { iraPosts } from "./ira.ts";
import { seededRandom } from "./measure.ts";

export type QueryKind = { name: string; queries: string[] };

const weekMs = 7 * 86_400_000;
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The same in every run. */
export async function drawQueries(count: number): Promise<QueryKind[]> {
  const random = seededRandom(7);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  };
  const frequencies = new Map<string, number>();
  const samples: { words: string[]; author: string; ms: number }[] = [];
  let index = 0;
  for await (const post of iraPosts()) {
    const words = post.text
      .replace(/https?:\S+|[@#]\w+|&\w+;/g, " ")
      .split(/[^\p{L}]+/u)
      .filter((word) => word.length > 2)
      .map((word) => word.toLowerCase());
    for (const word of new Set(words)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    if (index++ % 37 === 0 && words.length > 4) {
      samples.push({ words, author: post.author, ms: Date.parse(post.created_at) });
    }
  }
  const singleTokenWords = [...frequencies].filter(([word]) => querySequence(word).length === 1);
  const commonWords = singleTokenWords.filter(([, posts]) => posts > 5_000).map(([word]) => word);
  const rareWords = singleTokenWords
    .filter(([, posts]) => posts >= 2 && posts <= 20)
    .map(([word]) => word);
  const isCommon = new Set(commonWords);
  const samplesWithCommon = samples.filter(({ words }) => words.some((word) => isCommon.has(word)));
  const drawMany = (draw: () => string): string[] => Array.from({ length: count }, draw);
  const adjacentPhrase = (): string => {
    for (;;) {
      const { words } = pick(samples);
      const offset = Math.floor(random() * (words.length - 1));
      const phrase = words.slice(offset, offset + 2);
      if (phrase.every((word) => querySequence(word).length === 1)) return `"${phrase.join(" ")}"`;
    }
  };
  return [
    { name: "common term", queries: drawMany(() => pick(commonWords)) },
    { name: "rare term", queries: drawMany(() => pick(rareWords)) },
    {
      name: "two terms",
      queries: drawMany(() => {
        const { words } = pick(samplesWithCommon);
        return `${pick(words)} ${pick(words)}`;
      }),
    },
    { name: "phrase", queries: drawMany(adjacentPhrase) },
    { name: "from:", queries: drawMany(() => `from:${pick(samples).author}`) },
    { name: "term -term", queries: drawMany(() => `${pick(commonWords)} -${pick(commonWords)}`) },
    {
      name: "term in an old week",
      queries: drawMany(() => {
        const { ms } = pick(samples);
        return `${pick(commonWords)} since:${isoDay(ms)} until:${isoDay(ms + weekMs)}`;
      }),
    },
    { name: "lang: with a term", queries: drawMany(() => `lang:en ${pick(commonWords)}`) },
  ];
}
