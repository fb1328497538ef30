/** No text is shortened to fewer characters than this; rather are posts left out. */
export const shortestText = 100;

/** The first `posts` of a page, of whose texts none takes more than `each` characters. */
export type Allowance = { posts: number; each: number };

/**
 * How texts of these lengths are brought within a budget of characters, at least `shortestText`. All have the same share: what
 * short ones leave goes to the long ones. When the shares would be too small, the last posts are left out.
 */
export function allowanceOf(lengths: readonly number[], budget: number): Allowance {
  const posts = postsWithin(lengths, budget);
  const ascending = lengths.slice(0, posts).sort((a, b) => a - b);
  let left = budget;
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (posts - index));
    if (length > share) return { posts, each: share };
    left -= length;
  }
  return { posts, each: Number.POSITIVE_INFINITY };
}

function postsWithin(lengths: readonly number[], budget: number): number {
  let left = budget;
  for (const [index, length] of lengths.entries()) {
    left -= Math.min(length, shortestText);
    if (left < 0) return index;
  }
  return lengths.length;
}
