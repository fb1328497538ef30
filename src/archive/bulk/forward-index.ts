import type { MergedTerms } from "../sealed/merged-terms.ts";
import {
  addPosition,
  addPost,
  clearPostings,
  closeRun,
  createPostings,
} from "../sealed/postings.ts";
import { isPositionalTermBytes } from "../sealed/sealed-query.ts";
import { maxSortedTerms } from "./sort-terms.ts";
import { createTermTable } from "./term-table.ts";
import { findTokens } from "./tokens.ts";

export type ForwardIndex = {
  /** `terms` are separated by spaces, and lower-cased in place. */
  add(id: bigint, terms: Uint8Array): void;
  remove(id: bigint): void;
  isFull(): boolean;
  /** The IDs that remain, newest first. */
  ids(): BigInt64Array;
  /** Doc numbers are indexes into `ids`. No posts may be added afterwards. */
  terms(): MergedTerms;
};

const tokensPerBlock = 1 << 20;
/** Limits the memory of an import: each token takes 4 bytes. */
const maxTokens = 1 << 26;
/** Each posting takes 8 bytes. */
const postingsPerPass = 1 << 22;

export function createForwardIndex(key: string): ForwardIndex {
  const table = createTermTable(key);
  const blocks: Uint32Array[] = [];
  let usedTokens = tokensPerBlock;
  let tokens = 0;
  let ids = new BigInt64Array(1 << 14);
  let locations = new Uint32Array(ids.length * 3);
  let postCount = 0;
  /** The number of posts when an ID was removed: earlier posts with that ID are ignored. */
  const removedAt = new Map<bigint, number>();
  let bounds = new Uint32Array(1_024);

  function add(id: bigint, terms: Uint8Array): void {
    const max = (terms.length + 1) >> 1;
    let block = blocks.at(-1);
    if (block === undefined || usedTokens + max > block.length) {
      block = new Uint32Array(Math.max(tokensPerBlock, max));
      blocks.push(block);
      usedTokens = 0;
    }
    if (postCount === ids.length) growPosts();
    const start = usedTokens;
    if (bounds.length < max * 2) bounds = new Uint32Array(max * 4);
    const tokenCount = findTokens(terms, bounds);
    for (let token = 0; token < tokenCount; token += 1) {
      const [from, to] = [bounds[token * 2] as number, bounds[token * 2 + 1] as number];
      block[usedTokens] = table.termNumber(terms, from, to);
      usedTokens += 1;
    }
    ids[postCount] = id;
    locations[postCount * 3] = blocks.length - 1;
    locations[postCount * 3 + 1] = start;
    locations[postCount * 3 + 2] = usedTokens - start;
    postCount += 1;
    tokens += usedTokens - start;
  }

  function growPosts(): void {
    const [oldIds, oldLocations] = [ids, locations];
    ids = new BigInt64Array(postCount * 2);
    ids.set(oldIds);
    locations = new Uint32Array(postCount * 6);
    locations.set(oldLocations);
  }

  const postId = (post: number): bigint => ids[post] as bigint;

  function newestFirst(): Uint32Array {
    const order = Uint32Array.from({ length: postCount }, (_, post) => post);
    if (isAscending()) order.reverse();
    else order.sort((a, b) => (postId(a) < postId(b) ? 1 : postId(a) > postId(b) ? -1 : b - a));
    return order.filter((post, n) => {
      const isLast = n === 0 || postId(order[n - 1] as number) !== postId(post);
      return isLast && post >= (removedAt.get(postId(post)) ?? 0);
    });
  }

  function isAscending(): boolean {
    for (let post = 1; post < postCount; post += 1)
      if (postId(post) <= postId(post - 1)) return false;
    return true;
  }

  return {
    add,
    remove: (id) => {
      removedAt.set(id, postCount);
    },
    isFull: () => tokens >= maxTokens || table.termCount() >= maxSortedTerms - tokensPerBlock,
    ids: () => {
      const order = newestFirst();
      const orderedIds = new BigInt64Array(order.length);
      for (let n = 0; n < order.length; n += 1) orderedIds[n] = postId(order[n] as number);
      return orderedIds;
    },
    terms: () => invert({ table, blocks, locations, order: newestFirst() }),
  };
}

type ForwardTerms = {
  table: ReturnType<typeof createTermTable>;
  blocks: readonly Uint32Array[];
  locations: Uint32Array;
  order: Uint32Array;
};

function invert({ table, blocks, locations, order }: ForwardTerms): MergedTerms {
  const sortedTerms = table.sortedNumbers();
  const counts = rankTokens();
  const { bytes, starts } = table.text();
  const postings = createPostings();
  const term = { bytes, length: 0 };
  const numbers = new Uint32Array(postingsPerPass);
  const positions = new Uint32Array(postingsPerPass);
  let pass = { from: 0, to: 0, numbers, positions, ends: new Uint32Array(0) };
  let rank = -1;
  let usedPostings = 0;

  function rankTokens(): Uint32Array {
    const ranks = new Uint32Array(sortedTerms.length);
    for (let index = 0; index < sortedTerms.length; index += 1)
      ranks[sortedTerms[index] as number] = index;
    const occurrences = new Uint32Array(sortedTerms.length);
    for (let n = 0; n < order.length; n += 1) {
      const { block, start, end } = makeTokens(n);
      for (let index = start; index < end; index += 1) {
        const termRank = ranks[block[index] as number] as number;
        block[index] = termRank;
        occurrences[termRank] = (occurrences[termRank] as number) + 1;
      }
    }
    return occurrences;
  }

  function makeTokens(number: number): { block: Uint32Array; start: number; end: number } {
    const index = (order[number] as number) * 3;
    const start = locations[index + 1] as number;
    const block = blocks[locations[index] as number] as Uint32Array;
    return { block, start, end: start + (locations[index + 2] as number) };
  }

  function startPass(from: number): void {
    let to = from;
    let sum = 0;
    while (to < counts.length && (to === from || sum + (counts[to] as number) <= postingsPerPass)) {
      sum += counts[to] as number;
      to += 1;
    }
    const isLarge = sum > postingsPerPass;
    const ends = new Uint32Array(to - from);
    pass = {
      from,
      to,
      ends,
      numbers: isLarge ? new Uint32Array(sum) : numbers,
      positions: isLarge ? new Uint32Array(sum) : positions,
    };
    for (let index = 0, end = 0; index < ends.length; index += 1) {
      ends[index] = end;
      end += counts[from + index] as number;
    }
    fillPass();
  }

  function fillPass(): void {
    const { from, to, ends } = pass;
    for (let n = 0; n < order.length; n += 1) {
      const { block, start, end } = makeTokens(n);
      for (let index = start; index < end; index += 1) {
        const termRank = block[index] as number;
        if (termRank < from || termRank >= to) continue;
        const position = ends[termRank - from] as number;
        pass.numbers[position] = n;
        pass.positions[position] = index - start;
        ends[termRank - from] = position + 1;
      }
    }
  }

  return {
    postings,
    isPositional: () => isPositionalTermBytes(term.bytes, term.length),
    next() {
      rank += 1;
      while (rank < counts.length && counts[rank] === 0) rank += 1;
      if (rank >= counts.length) return null;
      if (rank >= pass.to) startPass(rank);
      const number = sortedTerms[rank] as number;
      term.bytes = bytes.subarray(starts[number] as number, starts[number + 1] as number);
      term.length = term.bytes.length;
      clearPostings(postings);
      usedPostings = 0;
      return term;
    },
    take(max) {
      const count = counts[rank] as number;
      const firstPosting = (pass.ends[rank - pass.from] as number) - count;
      const until = Math.min(count, usedPostings + max);
      for (; usedPostings < until; usedPostings += 1) {
        const number = pass.numbers[firstPosting + usedPostings] as number;
        if (usedPostings === 0 || pass.numbers[firstPosting + usedPostings - 1] !== number)
          addPost(postings, number);
        addPosition(postings, pass.positions[firstPosting + usedPostings] as number);
      }
      if (usedPostings < count) return false;
      closeRun(postings);
      return true;
    },
  };
}
