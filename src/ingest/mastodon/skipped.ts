const minSkipped = 100;

export const nothingStored =
  "none of its posts may be stored: their authors do not agree to be searched, or the server does not say whether they do";

export const storesNothing = ({ posts, skipped }: { posts: number; skipped: number }): boolean =>
  posts === 0 && skipped >= minSkipped;
