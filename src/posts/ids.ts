import { createHash, hash } from "node:crypto";
import type { Post } from "./post.ts";

/**
 * An ID is 64 bits and sorts by time: 41 bits of milliseconds since X's epoch, then 22 bits that
 * distinguish posts in the same millisecond. X posts keep their own IDs, which have had this form
 * since November 2010. On other platforms, the lower bits are the first 22 bits of the SHA-256 of
 * the uri, or the next free number.
 */
const epochMs = 1288834974657;
const lowerBits = 22n;
const lowerMask = (1n << lowerBits) - 1n;
const maxTimeOffset = 2n ** 41n - 1n;

/** X numbered its posts 1, 2, 3 … before snowflakes: lower IDs contain no time. */
export const firstSnowflake = 29_700_000_000n;

export const lastId = 2n ** 63n - 1n;

/** Unix milliseconds; meaningless unless `hasTime`. */
export const idTimeMs = (id: bigint): number => Number(id >> lowerBits) + epochMs;

export const firstTimeMs = idTimeMs(firstSnowflake);

export const hasTime = (id: bigint): boolean => id >= firstSnowflake;

export function lowestId(ms: number): bigint {
  if (ms <= epochMs) return 0n;
  const timeOffset = BigInt(Math.min(Math.floor(ms), Number.MAX_SAFE_INTEGER)) - BigInt(epochMs);
  return (timeOffset > maxTimeOffset ? maxTimeOffset : timeOffset) << lowerBits;
}

export const nextMillisecondId = (id: bigint): bigint => ((id >> lowerBits) + 1n) << lowerBits;

export const firstInMillisecond = (id: bigint): bigint => id & ~lowerMask;

export const lastInMillisecond = (id: bigint): bigint => id | lowerMask;

export const nextInMillisecond = (id: bigint): bigint =>
  firstInMillisecond(id) | ((id + 1n) & lowerMask);

/**
 * What `since` and `until` compare: the claimed time, capped at the time the network saw the post,
 * or at `nowMs`. 0 if neither is known.
 */
export function postTimeMs(post: Pick<Post, "createdMs" | "seenMs">, nowMs: number): number {
  const seenMs = post.seenMs ?? nowMs;
  if (post.createdMs === null) return post.seenMs ?? 0;
  return Math.min(post.createdMs, seenMs);
}

/** Keyed, so that an attacker cannot craft colliding uris. */
export const lookupHash = (key: string, uri: string): bigint =>
  keyedDigest(key, uri).readBigInt64BE(0);

export const keyedNumber = (key: string, uri: string): bigint =>
  keyedDigest(key, uri).readBigInt64BE(8) & lowerMask;

const keyedDigest = (key: string, uri: string): Buffer =>
  createHash("sha256").update(key).update(uri).digest();

/** Gives posts with the same 22-bit number the same order on all servers. */
export const uriHash = (uri: string): string => hash("sha256", uri).slice(0, 32);

export const hashNumber = (uriHash: string): bigint =>
  BigInt(Number.parseInt(uriHash.slice(0, 6), 16) >> 2);

export const uriNumber = (uri: string): bigint => hashNumber(uriHash(uri));

export const numberedId = (timeMs: number, number: bigint): bigint => lowestId(timeMs) | number;

export const xUri = (id: bigint | string): string => `https://x.com/i/status/${id}`;

export function parseXId(uri: string): bigint | null {
  const digits = /^https:\/\/x\.com\/i\/status\/(\d{1,19})$/.exec(uri)?.[1];
  return digits === undefined ? null : BigInt(digits);
}

export type IdRange = { low: bigint; high: bigint };

export const singleId = (id: bigint): IdRange => ({ low: id, high: id });

/** How far post times may be before or after the times in their IDs. */
export type TimeSkew = { minMs: number; maxMs: number };

/** Inclusive; a superset of the posts with `fromMs` ≤ time < `toMs`, because of the skew. */
export function windowIds(fromMs: number | null, toMs: number | null, skew: TimeSkew): IdRange {
  const reachesBack = fromMs === null || fromMs <= firstTimeMs;
  const low = reachesBack ? 0n : lowestId(fromMs - skew.maxMs);
  if (toMs === null) return { low, high: lastId };
  const high = lowestId(toMs - skew.minMs) - 1n;
  return { low, high: reachesBack && high < firstSnowflake ? firstSnowflake : high };
}

/** A superset of the times of posts with these IDs; null means unbounded. */
export function idsWindow(
  low: bigint | null,
  high: bigint | null,
  skew: TimeSkew,
): { fromMs: number | null; toMs: number | null } {
  return {
    fromMs: low === null || !hasTime(low) ? null : idTimeMs(low) + skew.minMs,
    toMs: high === null ? null : Math.max(idTimeMs(high), firstTimeMs) + 1 + skew.maxMs,
  };
}

const tidForm = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;
const tidDigits = "234567abcdefghijklmnopqrstuvwxyz";

export const isTid = (text: string): boolean => tidForm.test(text);

/** Unix milliseconds; null if `key` is not a TID. */
export function tidMs(key: string): number | null {
  if (!isTid(key)) return null;
  // 13 digits of 5 bits; the last 10 bits are the clock id.
  let microseconds = 0;
  for (const digit of key.slice(0, 11)) microseconds = microseconds * 32 + tidDigits.indexOf(digit);
  return Math.floor(microseconds / 1000);
}
