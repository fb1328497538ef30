import { seededRandom } from "../../bench/measure.ts";

export type Sample = { text: string; author: string; ms: number; id: string };

const link = /https?:\/\/[^\s]+/g;
const emojiPattern =
  /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?|\p{Regional_Indicator}{2}/gu;
const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]{2,}/gu;

const queriesPerKind = 16;

export function drawRealQueries(samples: readonly Sample[], seed: number): string[] {
  const random = seededRandom(seed);
  const drawBelow = (end: number): number => Math.floor(random() * end);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[drawBelow(items.length)];
    if (item === undefined) throw new Error("nothing to draw from");
    return item;
  };

  const texts = samples.map(({ text }) => text.replaceAll(link, " "));
  const parseWords = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const byFrequency = (items: Iterable<string>): string[] =>
    [...Map.groupBy(items, (item) => item)]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([item]) => item);
  const words = byFrequency(texts.flatMap((text) => parseWords(text.toLowerCase())));
  const commonWords = words.slice(0, 300);
  const midRangeWords = words.slice(300, 6_000);
  const rareWords = words.slice(6_000);
  const inScript = (script: string): string[] => {
    const pattern = new RegExp(`^\\p{Script=${script}}{2,}$`, "u");
    return words.filter((word) => pattern.test(word));
  };
  const listMatches = (pattern: RegExp): string[] =>
    byFrequency(texts.flatMap((text) => text.match(pattern) ?? []));
  const hashtags = listMatches(/#[\p{L}\p{N}_]+/gu);
  const mentions = listMatches(/@\w{2,15}\b/g);
  const emoji = listMatches(emojiPattern);
  const runs = listMatches(unspacedRun);
  const cashtags = listMatches(/\$[A-Za-z]{2,6}\b/g);
  const links = samples.flatMap(({ text }) => text.match(link) ?? []);
  const hosts = byFrequency(links.flatMap((url) => urlHost(url) ?? []));
  const cyrillic = inScript("Cyrillic");
  const arabic = inScript("Arabic");
  const frequentItem = (items: readonly string[]): string =>
    pick(items.slice(0, random() < 0.5 ? 40 : items.length));
  const phrase = (): string => {
    for (;;) {
      const parts = pick(texts).split(/\s+/);
      const from = drawBelow(parts.length);
      const excerpt = parts.slice(from, from + 2 + drawBelow(3));
      if (excerpt.some((part) => /[@＠]|\w\.\w/.test(part))) continue;
      const text = excerpt.join(" ").replaceAll(/["“”„«»「」\\]/g, "");
      if (excerpt.length > 1 && parseWords(text).length > 1) return `"${text}"`;
    }
  };
  const runPart = (): string => {
    const characters = Array.from(pick(runs));
    const from = drawBelow(characters.length);
    return characters.slice(from, from + 1 + drawBelow(3)).join("");
  };
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const span = (): string => {
    const { ms } = pick(samples);
    return `since:${day(ms)} until:${day(ms + (1 + drawBelow(30)) * 86_400_000)}`;
  };
  const language = (): string => `lang:${pick(["en", "ru", "de", "ar", "und", "uk", "zh", "it"])}`;
  const property = (): string =>
    pick([
      "filter:retweets",
      "-filter:retweets",
      "is:quote",
      "filter:links",
      "-has:links",
      "has:hashtags",
      "has:mentions",
      "is:reply",
      "filter:nativeretweets",
      "filter:safe",
      "-filter:media",
      "?",
    ]);
  const word = (): string => pick(pick([commonWords, midRangeWords, rareWords]));

  const kinds: (() => string)[] = [
    () => pick(commonWords),
    () => pick(midRangeWords),
    () => pick(rareWords),
    () => frequentItem(cyrillic),
    () => frequentItem(arabic),
    () => pick(runs),
    runPart,
    () => frequentItem(emoji),
    () => frequentItem(hashtags),
    () => frequentItem(mentions),
    phrase,
    phrase,
    () => phrase().replace(/ \S+ /, " * "),
    () => `from:${pick(samples).author}`,
    () => `${pick(["to:", "@"])}${frequentItem(mentions).slice(1)}`,
    () => `domain:${frequentItem(hosts)}`,
    () => pick(links),
    () => `url:${frequentItem(hosts)}`,
    () => `${word()} ${span()}`,
    () => `${pick(commonWords)} -${pick(commonWords)} ${property()}`,
    () => `${word()} OR ${word()} OR ${frequentItem(hashtags)}`,
    () =>
      `(${word()} OR ${phrase()}) -(${pick(commonWords)} OR ${frequentItem(mentions)}) ${language()}`,
    () => `${frequentItem(emoji)} ${property()}`,
    () => `${language()} ${property()} ${pick(commonWords)}`,
    () => `${language()} ${property()} since_id:${pick(samples).id} max_id:${pick(samples).id}`,
    () => `conversation_id:${pick(samples).id} OR ${frequentItem(cashtags)}`,
  ];
  return kinds.flatMap((draw) => Array.from({ length: queriesPerKind }, draw));
}

function urlHost(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : null;
}
