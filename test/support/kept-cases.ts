import type { Post } from "../../src/posts/post.ts";

/** A query and the posts over which answers once differed; `name` says what it was about. */
export type KeptCase = { name: string; query: string; posts: readonly Partial<Post>[] };

export const keptCases: readonly KeptCase[] = [];
