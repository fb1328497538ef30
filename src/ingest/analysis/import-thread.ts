import { type PreparationSettings, preparePosts } from "../../archive/bulk/prepare-posts.ts";
import { serveThreadInOrder, threadData } from "../../lib/thread.ts";
import type { Post } from "../../posts/post.ts";
import type { AnalysedLines } from "./import-analysis.ts";
import { type LinesRequest, readLines } from "./read-lines.ts";

const settings = threadData<PreparationSettings>();

async function analyseLines(request: LinesRequest): Promise<AnalysedLines> {
  const { posts, read } = readLines(request);
  const body = await preparePosts(posts, request.nowMs, settings);
  return { ...read(), body };
}

async function analysePosts({ posts, nowMs }: { posts: readonly Post[]; nowMs: number }) {
  return { body: await preparePosts(posts, nowMs, settings) };
}

serveThreadInOrder(async ({ method, args }) => {
  if (method === "lines") return await analyseLines(args as LinesRequest);
  if (method === "posts") return await analysePosts(args as { posts: Post[]; nowMs: number });
  throw new Error(`an import thread has no method ${method}`);
});
