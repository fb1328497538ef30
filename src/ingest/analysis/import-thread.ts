import { type PreparationSettings, preparePosts } from "../../archive/bulk/prepare-posts.ts";
import { serveInOrder, threadData } from "../../db/threads/serve.ts";
import type { Post } from "../../posts/post.ts";
import type { AnalysedLines } from "./analysed-batch.ts";
import { type LinesRequest, readLines } from "./read-lines.ts";

const settings = threadData<PreparationSettings>();

const methods = {
  lines: async (request: LinesRequest): Promise<AnalysedLines> => {
    const { posts, result } = readLines(request);
    const body = await preparePosts(posts, request.nowMs, settings);
    return { ...result(), body };
  },
  posts: async ({ posts, nowMs }: { posts: readonly Post[]; nowMs: number }) => ({
    body: await preparePosts(posts, nowMs, settings),
  }),
};

export type ImportMethods = typeof methods;

serveInOrder<ImportMethods>(methods);
