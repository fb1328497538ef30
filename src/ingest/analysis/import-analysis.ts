import type { PackedPosts } from "../../archive/bulk/packed-posts.ts";
import type { Post } from "../../posts/post.ts";
import type { LinesRequest, ReadLines } from "./read-lines.ts";

/** Posts that are ready to be written (`Archive.importPosts`). */
export type AnalysedPosts = { body: PackedPosts };

export type AnalysedLines = AnalysedPosts & ReadLines;

/** Turns what a file says into posts that are ready to be written, several chunks at the same time. */
export type ImportAnalysis = {
  /** How many chunks it works on at the same time. */
  parallel: number;
  /** The bytes of the request are moved, not copied. */
  lines(request: LinesRequest): Promise<AnalysedLines>;
  /** `nowMs` caps times that no network has seen. */
  posts(posts: readonly Post[], nowMs: number): Promise<AnalysedPosts>;
  close(): Promise<void>;
};
