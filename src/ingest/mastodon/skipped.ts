const minLeftOut = 100;

export const nothingStored =
  "none of its posts may be stored: their authors do not agree to be searched, or the server does not say whether they do";

export const storesNothing = ({ posts, leftOut }: { posts: number; leftOut: number }): boolean =>
  posts === 0 && leftOut >= minLeftOut;
