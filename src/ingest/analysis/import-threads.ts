import type { PreparationSettings } from "../../archive/bulk/prepare-posts.ts";
import { siblingModule, ThreadPool } from "../../db/threads/thread.ts";
import type { ImportAnalysis } from "./analysed-chunk.ts";
import type { ImportMethods } from "./import-thread.ts";

export function startImportThreads(
  settings: PreparationSettings,
  maxThreads: number,
): ImportAnalysis {
  const module = siblingModule(import.meta.url, "./import-thread");
  const threads = new ThreadPool<ImportMethods>(maxThreads, module, settings);
  return {
    parallel: maxThreads,
    lines: async (request) => {
      const { buffer } = request.bytes;
      const transferred = buffer instanceof ArrayBuffer ? [buffer] : [];
      return await threads.call("lines", request, { transferred });
    },
    posts: async (posts, nowMs) => await threads.call("posts", { posts, nowMs }),
    close: () => threads.close(),
  };
}
