/**
 * Finds the number of a post by the two halves of its ID, without a bigint for each: the upper one signed, the lower one not. -1
 * where it has none. Quickest when posts are asked for from the oldest on.
 */
export type NumberLookup = (high: number, low: number) => number;

/** Posts that are entered in one step. */
const postsOfStep = 200_000;
/** Posts between two marks on average. */
const postsOfMark = 4;
/** How far from the post before another one is looked for first: IDs that lie side by side in memory. */
const nearPosts = 12;

/** `ids`: newest first; the number of each is its place. They are kept, and a byte a post. */
export function* createNumberLookup(ids: BigInt64Array): Generator<"worked", NumberLookup> {
  const posts = ids.length;
  const lows = new Uint32Array(ids.buffer, ids.byteOffset, posts * 2);
  const highs = new Int32Array(ids.buffer, ids.byteOffset, posts * 2);
  const marks = Math.ceil(posts / postsOfMark);
  const newest = posts === 0 ? 0 : approximate(highs[1] as number, lows[0] as number);
  const oldest = posts === 0 ? 0 : approximate(highs.at(-1) as number, lows.at(-2) as number);
  const scale = newest > oldest ? marks / (newest - oldest) : 0;
  /** How many posts are so much newer, by `markOf`, than those of a mark. */
  const starts = new Uint32Array(marks + 2);
  const markOf = (high: number, low: number): number =>
    Math.floor((newest - approximate(high, low)) * scale);
  for (let number = 0; number < posts; number += 1) {
    const mark = markOf(highs[number * 2 + 1] as number, lows[number * 2] as number);
    starts[mark + 1] = number + 1;
    if (number % postsOfStep === postsOfStep - 1) yield "worked";
  }
  for (let mark = 1; mark < starts.length; mark += 1) {
    starts[mark] = Math.max(starts[mark] as number, starts[mark - 1] as number);
  }

  let last = posts;
  let isNear = false;

  function search(high: number, low: number): number {
    const mark = markOf(high, low);
    if (!(mark >= 0 && mark <= marks)) return -1;
    let from = starts[mark] as number;
    let to = starts[mark + 1] as number;
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

/** An ID as a number: what is larger never becomes smaller by that. */
const approximate = (high: number, low: number): number => high * 0x1_0000_0000 + low;
