import { iraPosts, toRecord } from "./ira.ts";

/**
 * Interleaved copies of the 600,000 real posts. Each is 36 hours and seven minutes later than the
 * one before, with matching IDs. Rare words (in fewer than 20 posts) and rare authors differ per
 * copy, as in a larger archive. Only Latin and Cyrillic words change.
 */
export type ScaledPosts = {
  records(): Generator<Record<string, unknown>>;
  copies: number;
};

const realPostCount = 600_000;
const rareBelow = 20;
const shiftMs = 36 * 3_600_000 + 7 * 60_000;

type BasePost = { record: Record<string, unknown>; id: bigint; ms: number; rareAt: Int32Array };

export async function scaledPosts(count: number): Promise<ScaledPosts> {
  const base = await readBase();
  const copies = Math.max(1, Math.ceil(count / realPostCount));
  const lastShare = count / realPostCount - (copies - 1);
  return {
    copies,
    records: function* () {
      const nextIndexes = new Array<number>(copies).fill(0);
      for (let yielded = 0; yielded < count; yielded++) {
        const copy = oldestCopy(base, nextIndexes);
        const index = nextIndexes[copy] ?? 0;
        const share = copy === copies - 1 ? lastShare : 1;
        nextIndexes[copy] = nextSampledIndex(index + 1, share, base.length);
        const post = base[index];
        if (post === undefined) return;
        yield makeCopy(post, copy);
      }
    },
  };
}

function oldestCopy(base: readonly BasePost[], nextIndexes: readonly number[]): number {
  let best = 0;
  let bestMs = Infinity;
  for (const [copy, index] of nextIndexes.entries()) {
    const ms = (base[index]?.ms ?? Infinity) + copy * shiftMs;
    if (ms < bestMs) {
      best = copy;
      bestMs = ms;
    }
  }
  return best;
}

/** An incomplete copy is sampled evenly. */
function nextSampledIndex(from: number, share: number, length: number): number {
  let index = from;
  while (index < length && Math.floor(index * share) === Math.floor((index - 1) * share)) index++;
  return index;
}

async function readBase(): Promise<BasePost[]> {
  const frequencies = new Map<string, number>();
  const authors = new Map<string, number>();
  const records: Record<string, unknown>[] = [];
  for await (const post of iraPosts()) {
    for (const word of new Set(post.text.toLowerCase().match(wordPattern))) add(frequencies, word);
    add(authors, post.author);
    records.push(toRecord(post));
  }
  for (const [author, posts] of authors) {
    if (posts < rareBelow) rareAuthors.add(author);
  }
  return records.map((record) => ({
    record,
    id: BigInt(String(record.id)),
    ms: Date.parse(String(record.created_at)),
    rareAt: rareWordEnds(String(record.text), frequencies),
  }));
}

const wordPattern = /[\p{L}\p{M}\p{N}_]+/gu;
const rareAuthors = new Set<string>();

const add = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

function rareWordEnds(text: string, frequencies: ReadonlyMap<string, number>): Int32Array {
  const ends: number[] = [];
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    if ((frequencies.get(word.toLowerCase()) ?? 0) < rareBelow) ends.push(index + word.length);
  }
  return Int32Array.from(ends);
}

function makeCopy({ record, id, ms, rareAt }: BasePost, copy: number): Record<string, unknown> {
  if (copy === 0) return record;
  const author = String(record.author);
  return {
    ...record,
    // IDs in the data set end in zeros: the copy's number distinguishes those in the same
    // millisecond.
    id: String(id + (BigInt(copy * shiftMs) << 22n) + BigInt(copy)),
    created_at: new Date(ms + copy * shiftMs).toISOString(),
    text: withOtherRareWords(String(record.text), rareAt, copy),
    ...(rareAuthors.has(author) ? { author: withOtherEnd(author, copy) } : {}),
  };
}

function withOtherRareWords(text: string, rareAt: Int32Array, copy: number): string {
  let copyText = "";
  let from = 0;
  for (const end of rareAt) {
    copyText += withOtherEnd(text.slice(from, end), copy);
    from = end;
  }
  return copyText + text.slice(from);
}

/** Moves the last two characters along their alphabet. */
function withOtherEnd(text: string, copy: number): string {
  if (text.length < 2) return text;
  return (
    text.slice(0, -2) +
    shiftLetter(text.charAt(text.length - 2), copy * 7) +
    shiftLetter(text.slice(-1), copy)
  );
}

const alphabets = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "0123456789"];
const alphabetOf = new Map(
  [...alphabets, ...alphabets.map((letters) => letters.toUpperCase())].flatMap((letters) =>
    [...letters].map((letter) => [letter, letters] as const),
  ),
);

function shiftLetter(character: string, shift: number): string {
  const alphabet = alphabetOf.get(character);
  if (alphabet === undefined) return character;
  return alphabet.charAt((alphabet.indexOf(character) + shift) % alphabet.length);
}
