import type { PreparationSettings } from "../../archive/bulk/prepare-posts.ts";
import { siblingModule, ThreadPool } from "../../db/threads/thread.ts";
import type { ImportAnalysis } from "./analysed-batch.ts";
import type { ImportMethods } from "./import-thread.ts";

export function startImportThreads(
  settings: PreparationSettings,
  maxThreads: number,
): ImportAnalysis {
  const module = siblingModule(import.meta.url, "./import-thread");
  const threads = new ThreadPool<ImportMethods>(maxThreads, module, settings);
  return {
    maxConcurrency: maxThreads,
    lines: async (request) => {
      const { buffer } = request.bytes;
      const transferList = buffer instanceof ArrayBuffer ? [buffer] : [];
      return await threads.call("lines", request, { transferList });
    },
    posts: async (posts, nowMs) => await threads.call("posts", { posts, nowMs }),
    close: () => threads.close(),
  };
}
