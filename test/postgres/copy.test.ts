import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPool } from "../../src/db/postgres/pool.ts";
import { configFrom } from "../../src/server/config.ts";
import { openControl } from "../../src/server/control/control.ts";
import { copyControl } from "../../src/server/control/copy-control.ts";
import { startService } from "../../src/server/start.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import { runCommand } from "../../testkit/service/run-command.ts";

let folder: string;
let settings: Record<string, string>;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-copy-"));
  settings = await databaseSettings();
  url = settings.EARSHOT_DATABASE_URL ?? "";
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const commonSettings = {
  EARSHOT_INGEST: "off",
  EARSHOT_BLUESKY_PUBLIC: "off",
  EARSHOT_LOG_LEVEL: "silent",
};

async function withService(
  database: Record<string, string>,
  use: (
    call: (method: "GET" | "POST", path: string, key: string) => Promise<Answer>,
  ) => Promise<void>,
): Promise<void> {
  const config = configFrom({
    EARSHOT_DATA_DIR: folder,
    EARSHOT_PORT: "0",
    ...commonSettings,
    ...database,
  });
  const service = await startService(config);
  const payload = { type: "social", arguments: { type: "searchbyfullarchive", query: "comet" } };
  await use(async (method, path, key) => {
    const headers = { authorization: `Bearer ${key}` };
    const body = method === "POST" ? { payload } : {};
    const response = await service.app.inject({ method, url: path, headers, ...body });
    return { status: response.statusCode, body: response.json() };
  });
  await service.stop();
}

type Answer = { status: number; body: { uuid?: string; status?: string } };

async function newKey(): Promise<string> {
  const { out } = await runCommand(["keys", "create", "--name", "laptop"], {
    EARSHOT_DATA_DIR: folder,
  });
  return out.trim().split("\n").at(-1) ?? "";
}

/** Adds rows with extreme values of their types. */
function addRows(count: number): void {
  const source = new DatabaseSync(join(folder, "control.db"));
  const account = source.prepare("SELECT id FROM account").get()?.id ?? "";
  const insert = source.prepare("INSERT INTO fetched_post VALUES(?, 'bluesky', ?, ?, ?)");
  const uri = 'at://x/"q"\\\n\t\u0000\u{1f30d}é';
  for (let row = 0n; row < count; row += 1n) insert.run(account, 2n ** 63n - 1n - row, uri, 0);
  source.close();
}

const copy = (onProgress: (copied: number) => void = () => undefined) =>
  copyControl({ dataDir: folder, url, onProgress });

test("a service continues in PostgreSQL with its accounts, keys and jobs", async () => {
  const key = await newKey();
  let uuid = "";
  await withService({}, async (call) => {
    uuid = (await call("POST", "/v1/search/live/social", key)).body.uuid ?? "";
    await call("GET", `/v1/search/live/social/status/${uuid}?wait=5`, key);
  });
  const { code, out } = await runCommand(["control", "copy", "--to", url], {
    EARSHOT_DATA_DIR: folder,
  });
  expect(out).toMatch(/^\d+ rows in \d+ tables copied and verified\.\n.*EARSHOT_SECRET_KEY/);
  expect(code).toBe(0);
  await withService(settings, async (call) => {
    const old = await call("GET", `/v1/search/live/social/status/${uuid}`, key);
    expect(old.body.status).toBe("done");
    expect((await call("POST", "/v1/search/live/social", key)).status).toBe(202);
  });
}, 60_000);

test("the copy preserves large numbers and unusual characters, except that NUL is replaced", async () => {
  await newKey();
  addRows(3);
  const tables = await copy();
  expect(tables.find(({ table }) => table === "fetched_post")?.rows).toBe(3);
  const pool = openPool({ url, gateway: "test", connections: 1, timeoutMs: 5_000 });
  const [row] = await pool.unsafe("SELECT max(id)::TEXT AS id, min(uri) AS uri FROM fetched_post");
  await pool.end();
  expect(row).toEqual({
    id: "9223372036854775807",
    uri: 'at://x/"q"\\\n\t\u{fffd}\u{1f30d}é',
  });
});

test("an interrupted copy can be resumed, and no gateway starts on the database before the copy is complete", async () => {
  await newKey();
  addRows(2_500);
  const seen: number[] = [];
  const interrupted = copy((copied) => {
    seen.push(copied);
    if (copied > 1_500) throw new Error("interrupted");
  });
  await expect(interrupted).rejects.toThrow("interrupted");
  const database = { url, connections: 2, timeoutMs: 5_000, gateway: "test" };
  await expect(openControl({ dataDir: folder, database })).rejects.toMatchObject({
    code: "copy_unfinished",
  });
  const rest: number[] = [];
  const tables = await copy((copied) => rest.push(copied));
  expect(tables.find(({ table }) => table === "fetched_post")?.rows).toBe(2_500);
  expect(rest.at(-1)).toBeLessThan(2_500);
  await (await openControl({ dataDir: folder, database })).close();
});

test("a copy is rejected if the folder is in use, the database is not empty, or the store has changed since an interrupted copy", async () => {
  await newKey();
  addRows(10);
  await withService({}, async () => {
    await expect(copy()).rejects.toMatchObject({ code: "folder_in_use" });
  });
  await expect(
    copy((copied) => {
      if (copied > 5) throw new Error("interrupted");
    }),
  ).rejects.toThrow("interrupted");
  const source = new DatabaseSync(join(folder, "control.db"));
  source.exec("UPDATE account SET created_ms = created_ms + 1");
  source.close();
  await expect(copy()).rejects.toMatchObject({ code: "copy_differs" });

  url = (await databaseSettings()).EARSHOT_DATABASE_URL ?? "";
  await copy();
  await expect(copy()).rejects.toMatchObject({ code: "database_not_empty" });
});
