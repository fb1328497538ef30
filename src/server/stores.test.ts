import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { configFrom } from "./config.ts";
import { startService } from "./start.ts";
import { closeStores, openStores } from "./stores.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-stores-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test("the server starts and logs that damaged coverage was discarded", async () => {
  const config = configFrom({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_PORT: "0",
    EARSHOT_BLUESKY_PUBLIC: "off",
  });
  const stores = await openStores(config, systemClock);
  const interval = { platform: "x", collection: "posts", account: null, source: "import" } as const;
  await stores.archive.write({ changes: [], coverage: [{ ...interval, fromMs: 1, toMs: 9 }] });
  await closeStores(stores);
  const catalog = new DatabaseSync(join(dataDir, "archive", "catalog.db"));
  catalog.exec("UPDATE interval SET to_ms = 10");
  catalog.close();

  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: "warn" }, { write: (line) => lines.push(JSON.parse(line)) });
  const service = await startService(config, { log });
  await service.stop();
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, msg: expect.stringContaining("coverage") }),
  );
});
