import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { folderError } from "../../db/folder-errors.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import type { PostgresOptions } from "../../db/postgres/pool.ts";
import { postgresDatabase } from "../../db/postgres/run-operation.ts";
import type { PostgresStore } from "../../db/postgres/store.ts";
import { serveConcurrently, threadData } from "../../db/threads/serve.ts";
import { registerSearchAnswerer } from "../../jobs/submissions/search-operations.ts";
import { openControlDatabase } from "./control-database.ts";
import { lockWaitMs } from "./control-lock.ts";
import type { ControlThreadSearch } from "./control-thread-search.ts";

export type ControlDatabaseThreadData = {
  dataDir: string;
  database: PostgresOptions;
  archive: ReaderShare | null;
};

type OpenedStore = { store: PostgresStore; close(): Promise<void> };

const { dataDir, database, archive } = threadData<ControlDatabaseThreadData>();

let pendingStore: Promise<OpenedStore> | null = null;
let pendingSearch: Promise<ControlThreadSearch> | null = null;

async function open(): Promise<OpenedStore> {
  const lock = lockDataFolder();
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

function lockDataFolder(): ReturnType<typeof lockFolder> {
  try {
    return lockFolder(dataDir, lockWaitMs);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

/** The next call retries a failed opening. */
async function getStore(): Promise<OpenedStore> {
  pendingStore ??= open();
  try {
    return await pendingStore;
  } catch (error) {
    pendingStore = null;
    throw error;
  }
}

/** Called at the first search, to keep the start short. */
async function loadSearch(share: ReaderShare): Promise<ControlThreadSearch> {
  const { createControlThreadSearch } = await import("./control-thread-search.ts");
  const threadSearch = createControlThreadSearch(share);
  registerSearchAnswerer(postgresDatabase, (search, nowMs) => {
    threadSearch.beginBatch();
    return threadSearch.search(search, nowMs);
  });
  return threadSearch;
}

serveConcurrently(
  async ({ method, args }) => {
    const { store } = await getStore();
    // The archive's threads report this error.
    if ((method === "submitSearch" || method === "admitSearch") && archive !== null) {
      pendingSearch ??= loadSearch(archive);
      pendingSearch.catch(() => undefined);
    }
    if (method === "nextNotifications") return await store.nextNotifications();
    if (method === "lead") return await store.lead();
    return await store.run(method, args);
  },
  async () => {
    if (pendingStore !== null) await (await pendingStore).close();
  },
);
