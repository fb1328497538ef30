import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findingsIn } from "../../../../testkit/archives/findings-in.ts";
import { storedPosts, writerOn } from "../../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../../testkit/data/make-post.ts";
import { lockFolder } from "../../../db/folder-lock.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { ArchiveChange } from "../../archive.ts";
import { catalogPath, readSegments } from "../../catalog/catalog.ts";
import { openCatalog } from "../../catalog/open-catalog.ts";
import { compactionContext } from "../../compaction/context.ts";
import { dropSegment } from "../../compaction/retention.ts";
import { removeRetiredFiles } from "../../compaction/retire.ts";
import { rewriteSegment } from "../../compaction/rewrite.ts";
import { sealSegment } from "../../compaction/seal-segment.ts";
import { runSteps } from "../../compaction/steps.ts";
import { archiveDefaults } from "../../settings.ts";
import { openArchive } from "../../threads/open.ts";
import { allowReturn } from "../forget.ts";
import { recover } from "./recover.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);

let dataDir: string;
let folder: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-recover-"));
  folder = join(dataDir, "archive");
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const post = (n: number) =>
  makePost({
    key: `p${n}`,
    userId: `did:plc:author${n % 3}`,
    username: `author${n % 3}.example.com`,
    createdMs: startMs + n * dayMs,
    text: `river number ${n}`,
    origin: "stream",
    revision: "1",
  });

const upsert = (n: number): ArchiveChange => ({ kind: "upsert", post: post(n) });
const remove = (n: number): ArchiveChange => ({
  kind: "delete",
  platform: "bluesky",
  uri: post(n).uri,
  revision: "5",
});

function write(...batches: ArchiveChange[][]): void {
  const writer = writerOn(dataDir, 4);
  for (const batch of batches) writer.write(batch);
  writer.close();
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n);

function makeArchive(): void {
  write(numbers(0, 7).map(upsert), numbers(7, 15).map(upsert), [remove(2), remove(9)]);
}

const uris = (): string[] => storedPosts(folder).map(({ post: { uri } }) => uri);
const listUris = (...postNumbers: number[]): string[] => postNumbers.map((n) => post(n).uri);
const storedNumbers = numbers(0, 15).filter((n) => n !== 2 && n !== 9);

function removeCatalog(): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(catalogPath(folder) + suffix, { force: true });
}

const runRecover = (isForced = false) =>
  recover({
    dataDir,
    isForced,
    retainedIngestNumbers: 1_000_000,
    onProgress: () => {},
    signal: new AbortController().signal,
  });

async function recoveredCounts(handle: string): Promise<{ accounts: number; ingested: number }> {
  const archive = await openArchive({ dataDir, readers: 1, segmentPosts: 4, clock: systemClock });
  try {
    const { accounts } = await archive.resolve({ accounts: [handle], posts: [] });
    const ingested = await archive.ingestOrder(null, 100);
    return { accounts: accounts.size, ingested: ingested.length };
  } finally {
    await archive.close();
  }
}

function replay(): void {
  write(numbers(0, 15).map(upsert));
}

const losses: [string, () => void][] = [
  ["missing", removeCatalog],
  ["empty", () => truncateSync(catalogPath(folder), 0)],
  ["truncated in the middle", () => truncateSync(catalogPath(folder), 20_000)],
];

describe("a lost catalog", () => {
  test.each(losses)(
    "recover rebuilds a catalog that is %s, with all posts except deleted ones",
    async (_, lose) => {
      makeArchive();
      const before = readdirSync(join(folder, "bluesky")).filter((name) => name.endsWith(".db"));
      lose();
      const report = await runRecover();
      expect(report).toMatchObject({ segments: 4, posts: 13, deletions: 2, unused: [] });
      expect(uris()).toEqual(listUris(...storedNumbers));
      expect(await findingsIn(folder)).toEqual([]);
      expect(readdirSync(join(folder, "bluesky")).filter((name) => name.endsWith(".db"))).toEqual(
        before,
      );
      replay();
      expect(uris()).toEqual(listUris(...storedNumbers));
      expect(await recoveredCounts("author1.example.com")).toEqual({ accounts: 1, ingested: 13 });
    },
  );

  test("recover moves the former catalog aside, and copies its usable tables", async () => {
    write(numbers(0, 6).map(upsert), [
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author1",
        status: "suspended",
        observedMs: 5,
      },
    ]);
    const catalog = new DatabaseSync(catalogPath(folder));
    catalog.prepare("VACUUM INTO ?").run(join(dataDir, "catalog-copy.db"));
    catalog.close();
    write(numbers(6, 15).map(upsert), [remove(2)], [remove(9)]);
    removeCatalog();
    cpSync(join(dataDir, "catalog-copy.db"), catalogPath(folder));
    const report = await runRecover();
    expect(report.copiedTables).toContain("account");
    expect(existsSync(join(report.former ?? "", "catalog.db"))).toBe(true);
    expect(uris()).toEqual(listUris(...storedNumbers));
    write([{ kind: "upsert", post: { ...post(16), uri: `${post(16).uri}x` } }]);
    expect(storedPosts(folder).at(-1)?.hidden).toBe(true);
    expect(await findingsIn(folder)).toEqual([]);
  });

  test("recover does not restore deleted accounts, nor posts deleted before they arrived", async () => {
    makeArchive();
    const removed = post(77);
    write([
      {
        kind: "account",
        platform: "bluesky",
        userId: "did:plc:author0",
        status: "deleted",
        observedMs: Date.UTC(2027, 0, 1),
      },
      { kind: "delete", platform: "bluesky", uri: removed.uri, revision: "~" },
    ]);
    const remainingUris = uris();
    expect(remainingUris).toHaveLength(9);
    removeCatalog();
    await runRecover();
    replay();
    write([{ kind: "upsert", post: removed }]);
    expect(uris()).toEqual(remainingUris);
  });

  test("recover does not block a deleted post that was allowed to return", async () => {
    makeArchive();
    write([{ kind: "delete", platform: "bluesky", uri: post(3).uri, revision: "~" }]);
    const catalog = openCatalog(folder);
    expect(allowReturn({ catalog, folder }, [{ platform: "bluesky", uri: post(3).uri }])).toBe(1);
    catalog.close();
    removeCatalog();
    await runRecover();
    replay();
    expect(uris()).toEqual(listUris(...storedNumbers));
  });

  test("recover preserves deletions of an expired segment", async () => {
    makeArchive();
    const context = compactionContext(folder, archiveDefaults, systemClock);
    const [first] = readSegments(context.catalog);
    if (first === undefined) throw new Error("no segment");
    expect(runSteps(dropSegment(context, first))).toBe(3);
    runSteps(removeRetiredFiles(context, Number.POSITIVE_INFINITY));
    context.catalog.close();
    removeCatalog();
    await runRecover();
    replay();
    expect(uris()).toEqual(listUris(...storedNumbers));
  });

  test("recover preserves deletions in rewritten and sealed segments", async () => {
    makeArchive();
    const context = compactionContext(folder, archiveDefaults, systemClock);
    for (const entry of readSegments(context.catalog).slice(0, 3)) {
      runSteps(rewriteSegment(context, entry, { cuts: [], shouldKeep: null }));
    }
    for (const entry of readSegments(context.catalog).slice(0, 2)) {
      runSteps(sealSegment(context, entry));
    }
    context.catalog.close();
    const files = readdirSync(join(folder, "bluesky")).filter((name) => name.endsWith(".db"));
    expect(files).toHaveLength(9);
    removeCatalog();
    const { unused, segments } = await runRecover();
    expect(segments).toBe(4);
    expect(unused.map(({ reason }) => reason)).toEqual(Array(5).fill("replaced"));
    expect(
      readdirSync(join(folder, "orphaned")).filter((name) => name.endsWith(".db")),
    ).toHaveLength(5);
    replay();
    expect(uris()).toEqual(listUris(...storedNumbers));
    expect(await findingsIn(folder)).toEqual([]);
  });

  test("recover sets aside an unreadable file, and one from another archive", async () => {
    makeArchive();
    const other = mkdtempSync(join(tmpdir(), "earshot-other-"));
    const writer = writerOn(other, 4);
    writer.write([upsert(1)]);
    writer.close();
    cpSync(join(other, "archive", "bluesky", "000001.db"), join(folder, "bluesky", "000019.db"));
    rmSync(other, { recursive: true });
    truncateSync(join(folder, "bluesky", "000002.db"), 5_000);
    removeCatalog();
    const { unused, segments } = await runRecover();
    expect(segments).toBe(3);
    expect(unused).toEqual([
      { platform: "bluesky", sequence: 2, reason: "unreadable" },
      { platform: "bluesky", sequence: 19, reason: "of another archive" },
    ]);
    expect(existsSync(join(folder, "former-1", "bluesky", "000002.db"))).toBe(true);
    expect(await findingsIn(folder)).toEqual([]);
    replay();
    expect(uris()).toEqual(listUris(...storedNumbers));
  });

  test("recover assigns a new uri key to segments of an earlier version, which have no identity", async () => {
    makeArchive();
    for (const name of readdirSync(join(folder, "bluesky"))) {
      if (!name.endsWith(".db")) continue;
      const segment = new DatabaseSync(join(folder, "bluesky", name));
      segment.exec("DELETE FROM setting WHERE name IN ('uri_key', 'low', 'sequence', 'platform')");
      segment.close();
    }
    removeCatalog();
    await runRecover();
    expect(await findingsIn(folder)).toEqual([]);
    replay();
    expect(uris()).toEqual(listUris(...storedNumbers));
  });
});

describe("recover", () => {
  test("recover does not run on an intact archive unless forced", async () => {
    makeArchive();
    await expect(runRecover()).rejects.toMatchObject({ code: "catalog_current" });
    await runRecover(true);
    expect(uris()).toEqual(listUris(...storedNumbers));
    expect(await findingsIn(folder)).toEqual([]);
  });

  test("recover fails without segments", async () => {
    await expect(runRecover()).rejects.toMatchObject({ code: "nothing_to_recover" });
  });

  test("recover fails while a server is running", async () => {
    makeArchive();
    const server = lockFolder(dataDir);
    await expect(runRecover()).rejects.toMatchObject({ code: "folder_in_use" });
    server.release();
  });

  test("recover changes nothing if aborted, and can be run again", async () => {
    makeArchive();
    removeCatalog();
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    const request = { dataDir, isForced: false, retainedIngestNumbers: 10, onProgress: () => {} };
    await expect(recover({ ...request, signal: controller.signal })).rejects.toThrow("enough");
    expect(readdirSync(folder).sort()).toEqual(["bluesky", "compaction-lock.db"]);
    await runRecover();
    expect(uris()).toEqual(listUris(...storedNumbers));
  });
});
