/** So many posts are left out, and none is stored, before the operator is warned. */
const leastLeftOut = 100;

export const nothingStored =
  "none of its posts may be stored: their authors do not agree to be searched, or the server does not say whether they do";

/** Whether a stream gives posts, and none that may be stored. */
export const storesNothing = ({ posts, leftOut }: { posts: number; leftOut: number }): boolean =>
  posts === 0 && leftOut >= leastLeftOut;
