import { closeSync, cpSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sealAll } from "../../../testkit/archives/seal-all.ts";
import { writerOn } from "../../../testkit/archives/whole-archive.ts";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { catalogPath, readSegments, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { check } from "./check.ts";

let template = "";
let data = "";
const startMs = Date.UTC(2026, 0, 1);

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "earshot-check-damage-"));
  data = mkdtempSync(join(tmpdir(), "earshot-check-damage-"));
  const writer = writerOn(template, 1_000);
  const post = (key: string, n: number) =>
    makePost({
      key,
      createdMs: startMs + n * 60_000,
      text: `words of post ${n} ${"and many more ".repeat(40)}`,
      origin: "stream",
    });
  const put = (key: string, n: number) => ({ kind: "upsert" as const, post: post(key, n) });
  writer.write(Array.from({ length: 120 }, (_, n) => put(`key${n}`, n)));
  sealAll(join(template, "archive"));
  writer.write(Array.from({ length: 30 }, (_, n) => put(`later${n}`, 200 + n)));
  writer.close();
});
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(template, data, { recursive: true });
});
afterAll(() => {
  for (const folder of [template, data]) rmSync(folder, { recursive: true, force: true });
});

const folder = (): string => join(data, "archive");

const runCheck = (isFull: boolean) =>
  check({
    folder: folder(),
    isFull,
    sampleRows: 1_000,
    onProgress: () => {},
    signal: new AbortController().signal,
  });

function segmentFile(): string {
  const catalog = openForReading(catalogPath(folder()), 100);
  const [entry] = readSegments(catalog);
  catalog.close();
  if (entry === undefined) throw new Error("no segment");
  return segmentPath(folder(), entry);
}

function overwrite(path: string, index: number, bytes: Uint8Array): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, index);
  closeSync(file);
}

describe.for([
  ["the catalog", () => catalogPath(folder())],
  ["a sealed segment with a delta", segmentFile],
] as const)("a damaged file: %s", ([, pathOf]) => {
  test.for([true, false])(
    "check reports a zeroed page of any table, full check: %s",
    async (isFull) => {
      const { pageBytes, tables } = pageMap(pathOf());
      const undetected: string[] = [];
      for (const { table, pages } of tables) {
        for (const page of pages.slice(0, 3)) {
          overwrite(pathOf(), (page - 1) * pageBytes, new Uint8Array(pageBytes));
          if ((await runCheck(isFull)).findingCount === 0)
            undetected.push(`${table}, page ${page}`);
          cpSync(template, data, { recursive: true });
        }
      }
      expect(undetected).toEqual([]);
    },
  );
});

test("check reports an unreadable, truncated or missing catalog", async () => {
  overwrite(catalogPath(folder()), 0, new Uint8Array(8_192).fill(0x55));
  expect((await runCheck(true)).findings).toMatchObject([{ kind: "file_damaged", segment: null }]);
  cpSync(template, data, { recursive: true });
  truncateSync(catalogPath(folder()), 20_000);
  expect((await runCheck(true)).findings[0]).toMatchObject({ kind: "file_damaged", segment: null });
  rmSync(catalogPath(folder()));
  expect((await runCheck(true)).findings).toMatchObject([{ kind: "file_missing", segment: null }]);
});

test("check reports unreadable rows and compares all others", async () => {
  const path = segmentFile();
  const { pageBytes, tables } = pageMap(path);
  const pages = tables.find(({ table }) => table === "post")?.pages ?? [];
  const leaf = pages[Math.floor(pages.length / 2)] ?? 0;
  overwrite(path, (leaf - 1) * pageBytes, new Uint8Array(pageBytes));
  const { posts, findings } = await runCheck(true);
  expect(posts).toBeGreaterThan(100);
  expect(posts).toBeLessThan(150);
  expect(findings.map(({ message }) => message).join("\n")).toMatch(
    /posts with IDs between \d+ and \d+ cannot be read: database disk image is malformed/,
  );
});

test("check reports a row that does not match its checksum", async () => {
  const path = segmentFile();
  const database = new DatabaseSync(path);
  database.exec("UPDATE post SET time_ms = time_ms + 1 WHERE id = (SELECT max(id) FROM post)");
  database.close();
  const { findings } = await runCheck(false);
  expect(findings.map(({ kind }) => kind)).toContain("row_unreadable");
  expect(findings.map(({ message }) => message).join("\n")).toMatch(
    /post \d+ cannot be read: it does not match its checksum/,
  );
});

test.each([
  ["term_docsize", "UPDATE term_docsize SET origin = origin + 1"],
  ["term_idx", "DELETE FROM table_sum WHERE name = 'term_idx'"],
])("check reports a table that does not match its checksum: %s", async (table, sql) => {
  const database = new DatabaseSync(segmentFile(), { defensive: false });
  database.exec(sql);
  database.close();
  expect((await runCheck(false)).findings).toMatchObject([
    { kind: "sums_differ", message: expect.stringContaining(`table ${table} does not match`) },
  ]);
});

test("check completes wherever the first page of the uri table is corrupted", async () => {
  const path = segmentFile();
  const { pageBytes, tables } = pageMap(path);
  const page = tables.find(({ table }) => table === "uri")?.pages[0] ?? 0;
  for (let byte = 0; byte < 400; byte += 7) {
    overwrite(path, (page - 1) * pageBytes + byte, Uint8Array.of(0xff));
    await expect(runCheck(false), `byte ${byte}`).resolves.toHaveProperty("findings");
    cpSync(template, data, { recursive: true });
  }
});
