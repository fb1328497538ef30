import { careFault } from "../archive/maintenance/errors.ts";
import { lockFolder } from "../db/folder-lock.ts";
import { type Served, serveReads, serveWrites } from "../db/serve.ts";
import { threadData } from "../lib/thread.ts";
import {
  controlOperations,
  openControlForReading,
  openControlForWriting,
} from "./control-operations.ts";

/** A thread of the control store: the one that writes and holds the folder's lock, or the one that reads. */
export type ControlThreadData = { dataDir: string; role: "writer" | "reader" };

/** A command holds the lock for a moment to see whether a server runs, and a server that was killed may be slow to end. */
const lockWaitMs = 2_000;

const { dataDir, role } = threadData<ControlThreadData>();

function openWriter(): Served {
  try {
    return openLocked();
  } catch (error) {
    throw careFault(error, dataDir);
  }
}

function openLocked(): Served {
  const lock = lockFolder(dataDir, lockWaitMs);
  try {
    const database = openControlForWriting(dataDir);
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

function openReader(): Served {
  const database = openControlForReading(dataDir);
  return { database, close: () => database.close() };
}

if (role === "writer") serveWrites(controlOperations, openWriter);
else serveReads(controlOperations, openReader);
