import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { folderError } from "../../db/folder-errors.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import type { PostgresTerms } from "../../db/postgres/pool.ts";
import { postgresDatabase } from "../../db/postgres/run-operation.ts";
import type { PostgresStore } from "../../db/postgres/store.ts";
import { serveConcurrently, threadData } from "../../db/threads/serve.ts";
import { answerSearches } from "../../jobs/submissions/search-operations.ts";
import { openControlDatabase } from "./control-database.ts";
import { lockWaitMs } from "./control-lock.ts";
import type { ControlThreadSearch } from "./control-thread-search.ts";

export type ControlDatabaseThreadData = {
  dataDir: string;
  database: PostgresTerms;
  archive: ReaderShare | null;
};

type Opened = { store: PostgresStore; close(): Promise<void> };

const { dataDir, database, archive } = threadData<ControlDatabaseThreadData>();

let opening: Promise<Opened> | null = null;
let searches: Promise<ControlThreadSearch> | null = null;

async function open(): Promise<Opened> {
  const lock = lockedFolder();
  try {
    const store = await openControlDatabase(database);
    const close = async (): Promise<void> => {
      await store.close();
      lock.release();
    };
    return { store, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockedFolder(): ReturnType<typeof lockFolder> {
  try {
    return lockFolder(dataDir, lockWaitMs);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

/** A failed opening is tried again by the next call. */
async function opened(): Promise<Opened> {
  opening ??= open();
  try {
    return await opening;
  } catch (error) {
    opening = null;
    throw error;
  }
}

/** Called at the first search, to keep the start short. */
async function loadSearches(share: ReaderShare): Promise<ControlThreadSearch> {
  const { createControlThreadSearch } = await import("./control-thread-search.ts");
  const created = createControlThreadSearch(share);
  answerSearches(postgresDatabase, (search, nowMs) => {
    created.beginBatch();
    return created.search(search, nowMs);
  });
  return created;
}

serveConcurrently(
  async ({ method, args }) => {
    const { store } = await opened();
    // The archive's threads report errors.
    if ((method === "submitSearch" || method === "admitSearch") && archive !== null) {
      searches ??= loadSearches(archive);
      searches.catch(() => undefined);
    }
    if (method === "nextNotifications") return await store.nextNotifications();
    if (method === "lead") return await store.lead();
    return await store.run(method, args);
  },
  async () => {
    if (opening !== null) await (await opening).close();
  },
);
