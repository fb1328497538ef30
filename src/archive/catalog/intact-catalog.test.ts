import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findingsIn } from "../../../testkit/archives/findings-in.ts";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Archive, SearchRequest } from "../archive.ts";
import { inTransaction } from "../database.ts";
import { type RecoverReport, recover } from "../maintenance/recover/recover.ts";
import { openArchive } from "../threads/open.ts";
import { catalogPath } from "./catalog.ts";
import { openCatalog } from "./open-catalog.ts";

let dataDir: string;
let warnings: string[];
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-intact-"));
  warnings = [];
  const archive = await open();
  const platform = "bluesky";
  await archive.write({
    changes: [
      { kind: "upsert", post: makePost({ username: "ann.example", userId: "did:plc:ann" }) },
      { kind: "account", platform, userId: "did:plc:bob", status: "suspended", observedMs: 5 },
      {
        kind: "label",
        platform,
        subject: "did:plc:bob",
        source: "did:plc:labeler",
        value: "!hide",
        negated: false,
        createdMs: 5,
        expiresMs: null,
      },
    ],
    coverage: [
      { platform, collection: "posts", account: null, source: "import", fromMs: 1, toMs: 9 },
    ],
  });
  await archive.close();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const everything: Omit<SearchRequest, "deadlineMs"> = {
  plan: { kind: "all" },
  platforms: ["bluesky"],
  fromMs: null,
  toMs: null,
  after: null,
  limit: 10,
};

const folder = (): string => join(dataDir, "archive");

const open = (): Promise<Archive> =>
  openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 10,
    clock: systemClock,
    onWarning: (message) => warnings.push(message),
  });

function runRecover(): Promise<RecoverReport> {
  const { signal } = new AbortController();
  return recover({
    dataDir,
    isForced: false,
    retainedIngestNumbers: 1_000,
    onProgress: () => {},
    signal,
  });
}

function overwrite(table: string, bytes: Uint8Array, positionIn: (page: Buffer) => number): void {
  const path = catalogPath(folder());
  const { pageBytes, tables } = pageMap(path);
  const number = tables.find((other) => other.table === table)?.pages[0] ?? 0;
  const index = (number - 1) * pageBytes;
  const page = readFileSync(path).subarray(index, index + pageBytes);
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, index + positionIn(page));
  closeSync(file);
}

function damage(sql: string): void {
  const catalog = new DatabaseSync(catalogPath(folder()));
  catalog.exec(sql);
  catalog.close();
}

async function openVerified(): Promise<Archive> {
  const archive = await open();
  await archive.verified().catch(async (error: unknown) => {
    await archive.close();
    throw error;
  });
  return archive;
}

test.each([
  ["segment", "UPDATE segment SET skew_max_ms = 5"],
  ["setting", "UPDATE setting SET value = '7' WHERE name = 'ingest_number'"],
])("an archive cannot be opened if the table %s is damaged", async (table, sql) => {
  damage(sql);
  await expect(open()).rejects.toMatchObject({
    code: "archive_damaged",
    message: expect.stringContaining(table),
  });
});

test.each([
  ["handle", "UPDATE handle SET handle = 'anm.example'"],
  ["account", "UPDATE account SET status = 'active'"],
  ["segment", "UPDATE segment SET skew_max_ms = 5"],
  ["setting", "UPDATE setting SET value = '7' WHERE name = 'ingest_number'"],
])("the archive reports a damaged table %s, and recover repairs it", async (table, sql) => {
  damage(sql);
  await expect(openVerified()).rejects.toMatchObject({
    code: "archive_damaged",
    message: expect.stringContaining(table),
    hint: expect.stringContaining("earshot archive recover"),
  });
  expect(await findingsIn(folder())).toMatchObject([
    { kind: "file_damaged", message: `catalog.db: table ${table} does not match its checksum` },
  ]);
  await runRecover();
  const archive = await open();
  const names = ["ann.example", "anm.example"];
  const { accounts } = await archive.resolve({ accounts: names, posts: [] });
  const [right, wrong] = names.map((name) => JSON.stringify(accounts.get(name)));
  expect(right).toContain("did:plc:ann");
  expect(wrong).not.toContain("did:plc:ann");
  await archive.close();
  expect(await findingsIn(folder())).toEqual([]);
});

test("recover does not copy a table with an unreadable row", async () => {
  overwrite("label", Uint8Array.of(0x5b), (page) => page.readUInt16BE(8) + 2);
  await expect(openVerified()).rejects.toMatchObject({ code: "archive_damaged" });
  const { copiedTables } = await runRecover();
  expect(copiedTables).toContain("account");
  expect(copiedTables).not.toContain("label");
  await (await open()).close();
  expect(await findingsIn(folder())).toEqual([]);
});

test("damaged coverage is dropped with a warning, and the archive opens", async () => {
  damage("UPDATE interval SET to_ms = 99999999999999");
  const archive = await openVerified();
  expect(warnings).toEqual([expect.stringContaining("coverage")]);
  expect(await archive.coverage()).toMatchObject([{ intervals: [] }]);
  await archive.close();
  expect(await findingsIn(folder())).toEqual([]);
  await (await openVerified()).close();
  expect(warnings).toHaveLength(1);
});

test("a damaged index of an intact table is rebuilt with a warning", async () => {
  overwrite("handle_by_name", Buffer.from("b"), (page) => page.indexOf("ann.example"));
  const archive = await openVerified();
  expect(warnings).toEqual([expect.stringContaining("indexes")]);
  const { accounts } = await archive.resolve({ accounts: ["ann.example"], posts: [] });
  expect(JSON.stringify([...accounts])).toContain("did:plc:ann");
  await archive.close();
  expect(await findingsIn(folder())).toEqual([]);
});

describe("a catalog that is being verified", () => {
  beforeEach(() => {
    const catalog = openCatalog(folder());
    inTransaction(catalog, () =>
      catalog.exec(`
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000)
        INSERT INTO handle SELECT 'bluesky', 'did:plc:' || n, 'user' || n || '.example', 5 FROM number`),
    );
    catalog.close();
  });

  test("the archive opens, and its readers respond, before the catalog has been verified", async () => {
    const archive = await open();
    const order: string[] = [];
    await Promise.all([
      archive.ping().then(() => order.push("ping")),
      archive.verified().then(() => order.push("verified")),
    ]);
    expect(order).toEqual(["ping", "verified"]);
    await archive.close();
  });

  test("reads, searches and writes wait while the catalog is being verified, and fail if it is damaged", async () => {
    damage("UPDATE handle SET handle = 'other.example' WHERE handle = 'user40000.example'");
    const archive = await open();
    const calls = [
      archive.resolve({ accounts: ["ann.example"], posts: [] }),
      archive.coverage(),
      archive.records([]),
      archive.search({ ...everything, deadlineMs: Number.POSITIVE_INFINITY }),
      archive.readCheckpoint("any"),
      archive.write({ changes: [] }),
      archive.compactionState(),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "archive_damaged" } });
    }
    await expect(archive.ping()).rejects.toMatchObject({ code: "archive_damaged" });
    await archive.close();
  });
});
