import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { folderError } from "../../db/folder-errors.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import type { SqliteDatabase } from "../../db/open.ts";
import { type OpenStore, serveReads, serveWrites } from "../../db/thread-store.ts";
import type { ThreadCall } from "../../db/threads/messages.ts";
import { threadData } from "../../db/threads/serve.ts";
import { registerSearchAnswerer } from "../../jobs/submissions/search-operations.ts";
import { lockWaitMs } from "./control-lock.ts";
import {
  controlOperations,
  openControlForReading,
  openControlForWriting,
} from "./control-operations.ts";
import type { ControlThreadSearch } from "./control-thread-search.ts";

export type ControlThreadData = {
  dataDir: string;
  role: "writer" | "reader";
  archive: ReaderShare | null;
};

const { dataDir, role, archive } = threadData<ControlThreadData>();

function openWriter(): OpenStore {
  try {
    return openLocked();
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

let writerDatabase: SqliteDatabase | null = null;
let threadSearch: ControlThreadSearch | null = null;
let isLoading = false;

/** Called at the first search, to keep the start short. */
async function loadSearch(share: ReaderShare): Promise<void> {
  isLoading = true;
  const { createControlThreadSearch: createSearchHere } = await import(
    "./control-thread-search.ts"
  );
  if (writerDatabase === null) return;
  threadSearch = createSearchHere(share);
  registerSearchAnswerer(writerDatabase.forOperations, threadSearch.search);
}

function batchSize(queuedCalls: readonly ThreadCall[]): number {
  const indexes = [...queuedCalls.keys()].filter(
    (index) => queuedCalls[index]?.method === "submitSearch",
  );
  if (indexes.length === 0) return queuedCalls.length;
  // The archive's threads report this error.
  if (archive !== null && !isLoading) loadSearch(archive).catch(() => undefined);
  const batchSearches = threadSearch?.beginBatch() ?? indexes.length;
  return indexes[batchSearches] ?? queuedCalls.length;
}

function openLocked(): OpenStore {
  const lock = lockFolder(dataDir, lockWaitMs);
  try {
    const database = openControlForWriting(dataDir);
    writerDatabase = database;
    const close = () => {
      database.close();
      lock.release();
    };
    return { database, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openReader(): OpenStore {
  const database = openControlForReading(dataDir);
  return { database, close: () => database.close() };
}

if (role === "writer") serveWrites(controlOperations, openWriter, batchSize);
else serveReads(controlOperations, openReader);
