/**
 * Returns the doc number of an ID, or -1. To avoid bigints, an ID is passed as a signed upper half
 * and an unsigned lower half.
 */
export type DocNumberLookup = (high: number, low: number) => number;

const postsPerStep = 200_000;
const postsPerBucket = 4;
const nearPosts = 12;

/** `ids` must be newest first. */
export function* createDocNumberLookup(ids: BigInt64Array): Generator<"worked", DocNumberLookup> {
  const posts = ids.length;
  const lows = new Uint32Array(ids.buffer, ids.byteOffset, posts * 2);
  const highs = new Int32Array(ids.buffer, ids.byteOffset, posts * 2);
  const buckets = Math.ceil(posts / postsPerBucket);
  const newest = posts === 0 ? 0 : toDouble(highs[1] as number, lows[0] as number);
  const oldest = posts === 0 ? 0 : toDouble(highs.at(-1) as number, lows.at(-2) as number);
  const scale = newest > oldest ? buckets / (newest - oldest) : 0;
  const starts = new Uint32Array(buckets + 2);
  const computeBucket = (high: number, low: number): number =>
    Math.floor((newest - toDouble(high, low)) * scale);
  for (let number = 0; number < posts; number += 1) {
    const bucket = computeBucket(highs[number * 2 + 1] as number, lows[number * 2] as number);
    starts[bucket + 1] = number + 1;
    if (number % postsPerStep === postsPerStep - 1) yield "worked";
  }
  for (let bucket = 1; bucket < starts.length; bucket += 1) {
    starts[bucket] = Math.max(starts[bucket] as number, starts[bucket - 1] as number);
  }

  let last = posts;
  let isNear = false;

  function search(high: number, low: number): number {
    const bucket = computeBucket(high, low);
    if (!(bucket >= 0 && bucket <= buckets)) return -1;
    let from = starts[bucket] as number;
    let to = starts[bucket + 1] as number;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const upper = highs[middle * 2 + 1] as number;
      const lower = lows[middle * 2] as number;
      if (upper > high || (upper === high && lower > low)) from = middle + 1;
      else if (upper === high && lower === low) return middle;
      else to = middle;
    }
    return -1;
  }

  return (high, low) => {
    if (isNear) {
      for (let number = last - 1; number >= 0 && number >= last - nearPosts; number -= 1) {
        if (lows[number * 2] === low && highs[number * 2 + 1] === high) {
          last = number;
          return number;
        }
      }
    }
    const number = search(high, low);
    if (number < 0) return -1;
    isNear = number < last && number >= last - nearPosts;
    last = number;
    return number;
  };
}

/** Rounding preserves the order. */
const toDouble = (high: number, low: number): number => high * 0x1_0000_0000 + low;
