export const minTextLength = 100;

export type Allowance = { posts: number; perPost: number };

/**
 * Divides the budget equally, but what short texts leave unused goes to longer ones. If shares
 * would be below `minTextLength`, the last posts are omitted.
 */
export function computeAllowance(lengths: readonly number[], budget: number): Allowance {
  const posts = postsWithin(lengths, budget);
  const sortedLengths = lengths.slice(0, posts).sort((a, b) => a - b);
  let remaining = budget;
  for (const [index, length] of sortedLengths.entries()) {
    const share = Math.floor(remaining / (posts - index));
    if (length > share) return { posts, perPost: share };
    remaining -= length;
  }
  return { posts, perPost: Number.POSITIVE_INFINITY };
}

function postsWithin(lengths: readonly number[], budget: number): number {
  let remaining = budget;
  for (const [index, length] of lengths.entries()) {
    remaining -= Math.min(length, minTextLength);
    if (remaining < 0) return index;
  }
  return lengths.length;
}
