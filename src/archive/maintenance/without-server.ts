import { dirname } from "node:path";
import { lockFolder } from "../../db/folder-lock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CompactionContext } from "../compaction/context.ts";
import { removeRetired } from "../compaction/retire.ts";
import { type Interleaved, interleave } from "./interleave.ts";

export async function removeOldFiles(
  context: CompactionContext,
  options: Interleaved,
): Promise<boolean> {
  return await withoutServer(
    dirname(context.folder),
    async () => {
      await interleave(removeRetired(context, context.clock.now()), options, () => {});
      return true;
    },
    false,
  );
}

/** No server can start meanwhile. Returns `fallback` if one is running. */
export async function withoutServer<Value>(
  dataDir: string,
  work: () => Promise<Value>,
  fallback: Value,
): Promise<Value> {
  try {
    const server = lockFolder(dataDir);
    try {
      return await work();
    } finally {
      server.release();
    }
  } catch (error) {
    if (error instanceof EarshotError && error.code === "folder_in_use") return fallback;
    throw error;
  }
}
