import type { PreparationSettings } from "../../archive/bulk/prepare-posts.ts";
import { siblingModule, startThread, type Thread } from "../../lib/thread.ts";
import type { AnalysedLines, AnalysedPosts, ImportAnalysis } from "./import-analysis.ts";

/** Starts up to `mostThreads` threads, each only when all others are busy. */
export function startImportThreads(
  settings: PreparationSettings,
  mostThreads: number,
): ImportAnalysis {
  const threads: { thread: Thread; waiting: number }[] = [];

  function leastBusy(): { thread: Thread; waiting: number } {
    const idle = threads.find(({ waiting }) => waiting === 0);
    if (idle !== undefined) return idle;
    if (threads.length < mostThreads) {
      const started = {
        thread: startThread(siblingModule(import.meta.url, "./import-thread"), settings),
        waiting: 0,
      };
      threads.push(started);
      return started;
    }
    return threads.reduce((a, b) => (b.waiting < a.waiting ? b : a));
  }

  async function run(
    method: string,
    args: unknown,
    transferred: readonly ArrayBuffer[],
  ): Promise<unknown> {
    const chosen = leastBusy();
    chosen.waiting += 1;
    try {
      return await chosen.thread.call(method, args, transferred);
    } finally {
      chosen.waiting -= 1;
    }
  }

  return {
    parallel: mostThreads,
    lines: async (request) => {
      const { buffer } = request.bytes;
      const moved = buffer instanceof ArrayBuffer ? [buffer] : [];
      return (await run("lines", request, moved)) as AnalysedLines;
    },
    posts: async (posts, nowMs) => (await run("posts", { posts, nowMs }, [])) as AnalysedPosts,
    close: async () => {
      await Promise.all(threads.map(({ thread }) => thread.close()));
    },
  };
}
