import type { PackedPosts } from "../../archive/bulk/packed-posts.ts";
import type { Post } from "../../posts/post.ts";
import type { LinesRequest, LinesResult } from "./read-lines.ts";

export type AnalysedPosts = { body: PackedPosts };

export type AnalysedLines = AnalysedPosts & LinesResult;

export type ImportAnalysis = {
  parallel: number;
  lines(request: LinesRequest): Promise<AnalysedLines>;
  /** `nowMs` caps times that no network has observed. */
  posts(posts: readonly Post[], nowMs: number): Promise<AnalysedPosts>;
  close(): Promise<void>;
};
