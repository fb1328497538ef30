import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan } from "@earshot/query/plan";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sealAll } from "../../../testkit/archives/seal-all.ts";
import { wholeArchive, writerOn } from "../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import type { ArchiveChange } from "../archive.ts";
import { catalogPath, readCheckpoint, readSegments, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { damageMarkerPath } from "../segments/integrity.ts";
import { createReader } from "../threads/reader.ts";
import { backUp } from "./back-up.ts";
import { check } from "./check.ts";
import { restore } from "./restore.ts";

let root = "";
let original = "";
let target = "";
let restoredFolder = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "earshot-backup-"));
  original = join(root, "data");
  target = join(root, "backup");
  restoredFolder = join(root, "restored");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const segmentPosts = 40;
const never = new AbortController().signal;
const clock = { now: () => Date.UTC(2026, 1, 1) };
const options = { clock, onProgress: () => {}, signal: never };
const postKey = (n: number): string => `post${n}`;
const uri = (n: number): string => `at://did:plc:author/app.bsky.feed.post/${postKey(n)}`;
const revision = (n: number): string => String(n).padStart(8, "0");

function batch(n: number): ArchiveChange[] {
  const stream = { origin: "stream", userId: "did:plc:author", revision: revision(n) } as const;
  const zero = { likes: 0, reposts: 0, replies: 0, quotes: 0 };
  const atMs = Date.UTC(2026, 0, 1) + n * 60_000;
  const upsert = (key: number, text: string, createdMs: number): ArchiveChange => ({
    kind: "upsert",
    post: makePost({
      ...stream,
      key: postKey(key),
      text,
      createdMs,
      counts: zero,
      inReplyTo:
        key % 3 === 0 ? { id: null, uri: uri(key - 1), username: null, userId: null } : null,
    }),
  });
  const first = n * 10;
  const posts = Array.from({ length: 9 }, (_, i) =>
    upsert(first + i, `post number ${first + i} of batch${n}`, atMs + i * 1_000),
  );
  const counts: ArchiveChange[] = Array.from({ length: 9 }, (_, i) => ({
    kind: "count",
    platform: "bluesky",
    uri: uri(Math.max(0, first + i - 7 * (n % 5))),
    metric: i % 2 === 0 ? "likes" : "replies",
    increment: 1,
  }));
  const late = upsert(first + 9, `late ${n}`, atMs - 3_600_000);
  if (n === 0) return [...posts, late, ...counts];
  return [
    ...posts,
    late,
    ...counts,
    { ...upsert(first - 5, `edited in batch${n}`, atMs - 55_000) },
    { kind: "delete", platform: "bluesky", uri: uri(first - 7), revision: revision(n) },
    {
      kind: "delete",
      platform: "bluesky",
      uri: uri(Math.max(0, first - 58)),
      revision: revision(n),
    },
    ...(n % 4 === 0 ? [accountState(n)] : []),
  ];
}

const accountState = (n: number): ArchiveChange => ({
  kind: "account",
  platform: "bluesky",
  userId: "did:plc:author",
  status: n % 8 === 0 ? "takendown" : "active",
  observedMs: n,
});

function feed(dataDir: string) {
  const writer = writerOn(dataDir, segmentPosts);
  return {
    next: (n: number): void => {
      writer.write(batch(n), [{ name: "stream", value: String(n) }]);
      if (n % 3 === 2) writer.addCounts();
    },
    end: (): void => {
      writer.addCounts();
      writer.close();
    },
  };
}

let template = "";

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "earshot-backup-"));
  const stream = feed(template);
  for (let n = 0; n < 12; n++) stream.next(n);
  stream.end();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

const makeArchive = (): void => cpSync(template, original, { recursive: true });

const computeCheckpoint = (dataDir: string): number => {
  const catalog = openForReading(catalogPath(join(dataDir, "archive")), 1_000);
  const value = readCheckpoint(catalog, "stream");
  catalog.close();
  return Number(value);
};

test("a backup taken during writes, restored and continued from its checkpoint, equals the original", async () => {
  const batches = 60;
  makeArchive();
  const stream = feed(original);
  let writtenCount = 12;
  await backUp({
    ...options,
    folder: join(original, "archive"),
    target,
    onProgress: () => {
      for (let i = 0; i < 4; i++) if (writtenCount < batches - 5) stream.next(writtenCount++);
    },
  });
  expect(writtenCount).toBeGreaterThan(25);
  while (writtenCount < batches) stream.next(writtenCount++);
  stream.end();

  await restore({ ...options, source: target, dataDir: restoredFolder });
  const resumed = feed(restoredFolder);
  const from = computeCheckpoint(restoredFolder);
  expect(from).toBe(11);
  for (let n = from + 1; n < batches; n++) resumed.next(n);
  resumed.end();

  const whole = wholeArchive(join(original, "archive"));
  expect(whole.length).toBeGreaterThan(400);
  expect(wholeArchive(join(restoredFolder, "archive"))).toEqual(whole);
});

test("a restored backup of sealed segments, one of them marked as damaged, has the contents and search results of the original", async () => {
  makeArchive();
  const folder = join(original, "archive");
  sealAll(folder);
  const damagedSequence = 5;
  writeFileSync(
    damageMarkerPath(segmentPath(folder, { platform: "bluesky", sequence: damagedSequence })),
    "",
  );
  const stream = feed(original);
  stream.next(12);
  const { files } = await backUp({ ...options, folder, target });
  expect(files.every(({ path }) => path.endsWith(".db"))).toBe(true);
  await restore({ ...options, source: target, dataDir: restoredFolder });
  expect(namesIn(join(restoredFolder, "archive", "bluesky"))).toEqual(
    namesIn(join(target, "bluesky")),
  );
  const resumed = feed(restoredFolder);
  for (const each of [stream, resumed]) {
    for (let n = 13; n < 16; n++) each.next(n);
    each.end();
  }
  const whole = wholeArchive(folder);
  expect(wholeArchive(join(restoredFolder, "archive"))).toEqual(whole);
  const report = await check({
    folder: join(restoredFolder, "archive"),
    isFull: true,
    sampleRows: 1,
    onProgress: () => {},
    signal: never,
  });
  const foundKinds = new Set(report.findings.map(({ kind, segment }) => `${kind} ${segment}`));
  expect([...foundKinds]).toEqual([`sealed_damaged bluesky/${damagedSequence}`]);
  const words = ["post", "batch3", "late", "edited", "number 77"];
  const answers = words.map((word) => listIds(folder, word));
  expect(answers.every((ids) => ids.length > 0)).toBe(true);
  expect(words.map((word) => listIds(join(restoredFolder, "archive"), word))).toEqual(answers);
});

const namesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));

function listIds(folder: string, query: string): bigint[] {
  const reader = createReader(folder, 1_000, { now: clock.now, elapsed: () => 0 });
  try {
    const plan = makePlan(parseQuery(query).tree, {
      names: { accounts: new Map(), posts: new Map() },
      asOfMs: 0,
    });
    const { positions } = reader.operations.search({
      plan,
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit: 1_000,
      deadlineMs: Number.POSITIVE_INFINITY,
    });
    return positions.map(({ id }) => id);
  } finally {
    reader.close();
  }
}

test("a backup includes segments whose files are unlinked during the backup", async () => {
  makeArchive();
  const folder = join(original, "archive");
  const before = wholeArchive(folder);
  let unlinked = 0;
  await backUp({
    ...options,
    folder,
    target,
    onProgress: () => {
      if (unlinked++ > 0) return;
      for (const name of readdirSync(join(folder, "bluesky")))
        rmSync(join(folder, "bluesky", name));
    },
  });
  expect(unlinked).toBeGreaterThan(1);
  await restore({ ...options, source: target, dataDir: restoredFolder });
  expect(wholeArchive(join(restoredFolder, "archive"))).toEqual(before);
});

test("a backup's progress never decreases and reaches the total, and only the owner can read its files", async () => {
  makeArchive();
  const shares: number[] = [];
  const onProgress = (done: number, total: number): number => shares.push(done / total);
  const { files, posts } = await backUp({
    ...options,
    folder: join(original, "archive"),
    target,
    onProgress,
  });
  expect(shares.at(-1)).toBe(1);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(posts).toBe(wholeArchive(join(original, "archive")).length);
  for (const { path, bytes } of files) {
    const { size, mode } = statSync(join(target, path));
    expect([size, mode & 0o777]).toEqual([bytes, 0o600]);
  }
});

test("an aborted backup is incomplete, and the next backup to the same folder replaces it", async () => {
  makeArchive();
  const folder = join(original, "archive");
  const stopping = new AbortController();
  const stopped = backUp({
    ...options,
    folder,
    target,
    signal: stopping.signal,
    onProgress: (done, total) => {
      if (done > total / 2) stopping.abort(new Error("enough"));
    },
  });
  await expect(stopped).rejects.toThrow("enough");
  await expect(
    restore({ ...options, source: target, dataDir: restoredFolder }),
  ).rejects.toMatchObject({
    code: "backup_incomplete",
  });
  await backUp({ ...options, folder, target });
  await restore({ ...options, source: target, dataDir: restoredFolder });
  expect(wholeArchive(join(restoredFolder, "archive"))).toEqual(wholeArchive(folder));
});

test("a backup is not written to a folder that contains a backup or other files", async () => {
  makeArchive();
  const folder = join(original, "archive");
  await backUp({ ...options, folder, target });
  await expect(backUp({ ...options, folder, target })).rejects.toMatchObject({
    code: "backup_exists",
  });
  await expect(backUp({ ...options, folder, target: original })).rejects.toMatchObject({
    code: "backup_exists",
  });
});

test.for<[string, (path: string) => void, RegExp]>([
  ["a flipped byte", flipByte, /000002\.db does not match the manifest/],
  [
    "a truncated file",
    (path) => truncateSync(path, 8192),
    /000002\.db does not match the manifest/,
  ],
  [
    "a longer file",
    (path) => appendFileSync(path, "more"),
    /000002\.db does not match the manifest/,
  ],
  ["a missing file", (path) => rmSync(path), /000002\.db is missing/],
])("restore detects %s in a backup and restores nothing", async ([, damage, message]) => {
  makeArchive();
  await backUp({ ...options, folder: join(original, "archive"), target });
  damage(join(target, "bluesky", "000002.db"));
  const attempt = restore({ ...options, source: target, dataDir: restoredFolder });
  await expect(attempt).rejects.toMatchObject({ code: "backup_damaged" });
  await expect(attempt).rejects.toThrow(message);
  expect(readdirSync(restoredFolder)).toEqual(["lock.db"]);
});

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

test.for([
  ["{", "backup_damaged"],
  ['{"format":"another"}', "backup_damaged"],
  [(text: string) => text.replace('"catalog.db"', '"../catalog.db"'), "backup_damaged"],
  [(text: string) => text.replace(/"catalog_schema": \d+/, '"catalog_schema": 99'), "newer_schema"],
] as const)("restore rejects an invalid manifest: %s", async ([manifest, code]) => {
  makeArchive();
  await backUp({ ...options, folder: join(original, "archive"), target });
  const path = join(target, "manifest.json");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, typeof manifest === "string" ? manifest : manifest(text));
  await expect(
    restore({ ...options, source: target, dataDir: restoredFolder }),
  ).rejects.toMatchObject({
    code,
  });
  expect(existsSync(join(restoredFolder, "archive"))).toBe(false);
});

test("restore does not overwrite an archive or run while a server is running", async () => {
  makeArchive();
  await backUp({ ...options, folder: join(original, "archive"), target });
  await expect(restore({ ...options, source: target, dataDir: original })).rejects.toMatchObject({
    code: "archive_exists",
  });
  const server = lockFolder(restoredFolder);
  await expect(
    restore({ ...options, source: target, dataDir: restoredFolder }),
  ).rejects.toMatchObject({
    code: "folder_in_use",
  });
  server.release();
  await restore({ ...options, source: target, dataDir: restoredFolder });
});

test("restore removes the files that an interrupted restore left", async () => {
  makeArchive();
  await backUp({ ...options, folder: join(original, "archive"), target });
  const stopping = new AbortController();
  const onProgress = (): void => stopping.abort(new Error("enough"));
  const { signal } = stopping;
  await expect(
    restore({ source: target, dataDir: restoredFolder, onProgress, signal }),
  ).rejects.toThrow("enough");
  await restore({ ...options, source: target, dataDir: restoredFolder });
  expect(readdirSync(restoredFolder).sort()).toEqual(["archive", "archive.id", "lock.db"]);
});

test("a backup contains all segments that its catalog lists", async () => {
  makeArchive();
  const { files } = await backUp({ ...options, folder: join(original, "archive"), target });
  const catalog = openForReading(catalogPath(target), 1_000);
  expect(files.length).toBe(readSegments(catalog).length + 1);
  catalog.close();
});
