const minSkipped = 100;

export const nothingStored =
  "no posts stored: their authors do not allow search, or the server does not report whether they do";

export const skipsEverything = ({ posts, skipped }: { posts: number; skipped: number }): boolean =>
  posts === 0 && skipped >= minSkipped;
