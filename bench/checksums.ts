import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  defineRowChecksum,
  postRowChecksumSql,
  rowChecksum,
} from "../src/archive/segments/checked-rows.ts";
import { segmentMigrations } from "../src/archive/segments/schema.ts";
import {
  damagedTables,
  openTableChecksums,
  updateTableChecksums,
} from "../src/archive/segments/table-checksums.ts";

/**
 * The cost of checksums: per row, per batch with and without table checksums, and verifying a
 * segment when it opens.
 */
const posts = 100_000;
const postsPerBatch = 1_000;
const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`);
const folder = mkdtempSync(join(tmpdir(), "earshot-checksums-"));
const makeText = (id: number): string =>
  Array.from(
    { length: 25 },
    (_, n) => words[Math.floor((id * 7_919 * (n + 1)) ** 0.7) % 20_000],
  ).join(" ");

function fill(name: string, hasChecksums: boolean): { database: DatabaseSync; ms: number } {
  const database = new DatabaseSync(join(folder, name));
  database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL");
  for (const migration of segmentMigrations) database.exec(migration);
  defineRowChecksum(database);
  if (hasChecksums) for (const _ of updateTableChecksums(database));
  const checksums = openTableChecksums(database);
  const post = database.prepare("INSERT INTO post VALUES(?, ?, 0, 0, 0, 0, '', ?, ?)");
  const term = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  const uri = database.prepare("INSERT INTO uri VALUES(?, ?)");
  const startedAt = performance.now();
  for (let id = 1; id <= posts; id += postsPerBatch) {
    database.exec("BEGIN IMMEDIATE");
    checksums.begin();
    for (let n = id; n < id + postsPerBatch; n++) {
      post.run(n, n, makeText(n), null);
      term.run(n, makeText(n));
      uri.run(BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n), n);
    }
    checksums.end();
    database.exec("COMMIT");
  }
  return { database, ms: performance.now() - startedAt };
}

const report = (label: string, value: string): void => console.log(`${label.padEnd(52)} ${value}`);

try {
  for (const round of [1, 2]) {
    const plain = fill(`plain${round}.db`, false);
    plain.database.close();
    const checksummed = fill(`summed${round}.db`, true);
    report(
      "writing a post, without table checksums",
      `${((plain.ms / posts) * 1_000).toFixed(1)} µs`,
    );
    report(
      "writing a post, with table checksums",
      `${((checksummed.ms / posts) * 1_000).toFixed(1)} µs`,
    );
    let startedAt = performance.now();
    for (const _ of damagedTables(checksummed.database));
    const ms = performance.now() - startedAt;
    report(`verifying the tables of ${posts} posts`, `${ms.toFixed(0)} ms`);
    checksummed.database.exec(`UPDATE post SET sum = ${postRowChecksumSql}`);
    const row = { id: 7n, timeMs: 1, likes: 0, reposts: 0, replies: 0, quotes: 0, revision: "" };
    const record = makeText(7);
    startedAt = performance.now();
    for (let n = 0; n < posts; n++) rowChecksum({ ...row, timeMs: n, record });
    report(
      "the checksum of a row",
      `${(((performance.now() - startedAt) / posts) * 1_000).toFixed(2)} µs`,
    );
    checksummed.database.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
