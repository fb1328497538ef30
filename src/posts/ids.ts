import { createHash, hash } from "node:crypto";
import type { Post } from "./post.ts";

/**
 * A post's ID is a 64-bit number that sorts by time: 41 bits of milliseconds since X's epoch, then 22 bits that distinguish
 * the posts of one millisecond. X keeps its own numbers, which have the same form since November 2010. On other platforms the
 * lower bits are the first 22 bits of the SHA-256 of the uri, so that every server gives a post the same ID. Posts of one
 * millisecond are stored in the order of that hash; one whose number is taken by a post with a lower hash has the next one.
 */
const epochMs = 1288834974657;
const lowerBits = 22n;
const lowerMask = (1n << lowerBits) - 1n;
const lastTimePart = 2n ** 41n - 1n;

/** X numbered its posts 1, 2, 3 … before snowflakes: below this, an ID tells no time. */
export const firstSnowflake = 29_700_000_000n;

export const lastId = 2n ** 63n - 1n;

/** The time part of an ID, Unix milliseconds; meaningless where `tellsTime` is false. */
export const idTimeMs = (id: bigint): number => Number(id >> lowerBits) + epochMs;

/** The time from which on IDs tell theirs, Unix milliseconds. */
export const firstTimeMs = idTimeMs(firstSnowflake);

/** Whether the ID's time part is a real one: false for X's early numbers and for posts from before the epoch. */
export const hasTime = (id: bigint): boolean => id >= firstSnowflake;

/** The lowest ID of a millisecond; before the epoch 0, beyond the last one the last. */
export function lowestId(ms: number): bigint {
  if (ms <= epochMs) return 0n;
  const part = BigInt(Math.min(Math.floor(ms), Number.MAX_SAFE_INTEGER)) - BigInt(epochMs);
  return (part > lastTimePart ? lastTimePart : part) << lowerBits;
}

/** The lowest ID of the next millisecond after the one that `id` belongs to. */
export const nextMillisecondId = (id: bigint): bigint => ((id >> lowerBits) + 1n) << lowerBits;

/** The lowest ID of the millisecond that `id` belongs to. */
export const firstInMillisecond = (id: bigint): bigint => id & ~lowerMask;

/** The last ID of the millisecond that `id` belongs to. */
export const lastInMillisecond = (id: bigint): bigint => id | lowerMask;

/** The next number in the same millisecond, around its end to its start. */
export const nextInMillisecond = (id: bigint): bigint =>
  firstInMillisecond(id) | ((id + 1n) & lowerMask);

/**
 * The one time that since and until compare: the time claimed, capped at the time the network saw it. Where the source tells
 * no time seen, `nowMs` caps it. 0 when nothing is known.
 */
export function postTimeMs(post: Pick<Post, "createdMs" | "seenMs">, nowMs: number): number {
  const seen = post.seenMs ?? nowMs;
  if (post.createdMs === null) return post.seenMs ?? 0;
  return Math.min(post.createdMs, seen);
}

/** 64 bits (signed) by which an archive looks a post up. Keyed, so that no one can make many uris share an entry. */
export const lookupHash = (key: string, uri: string): bigint =>
  keyedDigest(key, uri).readBigInt64BE(0);

/** The number that releases before 0055 gave a uri: 22 bits of a hash keyed for each archive. */
export const keyedNumber = (key: string, uri: string): bigint =>
  keyedDigest(key, uri).readBigInt64BE(8) & lowerMask;

const keyedDigest = (key: string, uri: string): Buffer =>
  createHash("sha256").update(key).update(uri).digest();

/**
 * What orders the posts of one millisecond: the first 128 bits of the SHA-256 of the uri, 32 hexadecimal digits. More than the
 * number, so that posts that share a number have one order on all servers.
 */
export const uriHash = (uri: string): string => hash("sha256", uri).slice(0, 32);

/** The first 22 bits of a `uriHash`: the number of its post, where no other post of the millisecond has it. */
export const numberOfHash = (uriHash: string): bigint =>
  BigInt(Number.parseInt(uriHash.slice(0, 6), 16) >> 2);

export const uriNumber = (uri: string): bigint => numberOfHash(uriHash(uri));

/** The ID of a post without a number of its own, where no other post of the millisecond has its number. */
export const numberedId = (timeMs: number, number: bigint): bigint => lowestId(timeMs) | number;

/** The uri of an X post, always made from its ID. */
export const xUri = (id: bigint | string): string => `https://x.com/i/status/${id}`;

/** The ID that the uri of an X post names; null for any other uri. */
export function xIdOf(uri: string): bigint | null {
  const digits = /^https:\/\/x\.com\/i\/status\/(\d{1,19})$/.exec(uri)?.[1];
  return digits === undefined ? null : BigInt(digits);
}

export type IdRange = { low: bigint; high: bigint };

/** By how much the times of posts lie before or after those their IDs tell, milliseconds; 0 and 0 where IDs are made from them. */
export type TimeSkew = { minMs: number; maxMs: number };

/**
 * The IDs, both ends inclusive, among which every post with `fromMs` ≤ time < `toMs` lies; a superset, as a platform's own
 * IDs may differ from its times by `skew`.
 */
export function idsOfWindow(fromMs: number | null, toMs: number | null, skew: TimeSkew): IdRange {
  const reachesBack = fromMs === null || fromMs <= firstTimeMs;
  const low = reachesBack ? 0n : lowestId(fromMs - skew.maxMs);
  if (toMs === null) return { low, high: lastId };
  const high = lowestId(toMs - skew.minMs) - 1n;
  return { low, high: reachesBack && high < firstSnowflake ? firstSnowflake : high };
}

/**
 * The window of time that posts with IDs from `low` to `high` (inclusive, null is unbounded) lie in; a superset likewise. IDs
 * that tell no time belong to posts from before those that do.
 */
export function windowOfIds(
  low: bigint | null,
  high: bigint | null,
  skew: TimeSkew,
): { fromMs: number | null; toMs: number | null } {
  return {
    fromMs: low === null || !hasTime(low) ? null : idTimeMs(low) + skew.minMs,
    toMs: high === null ? null : Math.max(idTimeMs(high), firstTimeMs) + 1 + skew.maxMs,
  };
}
