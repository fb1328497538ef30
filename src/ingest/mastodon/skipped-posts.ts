const minSkippedPosts = 100;

export const nothingStoredText =
  "no posts stored: their authors do not allow search, or the server does not report whether they do";

export const skipsEverything = ({ posts, skipped }: { posts: number; skipped: number }): boolean =>
  posts === 0 && skipped >= minSkippedPosts;
