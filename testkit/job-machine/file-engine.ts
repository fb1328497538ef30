import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../src/db/local-store.ts";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../src/db/open.ts";
import { jobOperations } from "../../src/jobs/operations.ts";
import { registerSearchAnswerer } from "../../src/jobs/submissions/search-operations.ts";
import { accounts, type MachineEngine } from "./machine.ts";

export async function createFileEngine(): Promise<MachineEngine> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-machine-"));
  return {
    open: async (answer) => {
      const openedDatabase = openStoreForWriting(join(folder, "control.db"), controlMigrations);
      openedDatabase.syncCommits(false);
      for (const account of accounts) {
        openedDatabase.run("INSERT OR IGNORE INTO account(id, created_ms) VALUES(:account, 0)", {
          account,
        });
      }
      // Only the process dies, not the machine.
      const database: SqliteDatabase = { ...openedDatabase, syncCommits: () => undefined };
      registerSearchAnswerer(database.forOperations, answer);
      return {
        store: createLocalStore(database, jobOperations),
        get: async (sql, parameters) => database.get(sql, parameters),
        close: async () => database.close(),
      };
    },
    remove: async () => rmSync(folder, { recursive: true }),
  };
}
