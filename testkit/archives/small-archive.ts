import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import type {
  ArchiveChange,
  Position,
  SearchAnswer,
  SearchRequest,
  WriteBatch,
  WriteReport,
} from "../../src/archive/archive.ts";
import { createArchiveWriter } from "../../src/archive/bulk/archive-writer.ts";
import { createPostPacker } from "../../src/archive/bulk/packed-posts.ts";
import { readSegments, readUriKey } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { compactionContext } from "../../src/archive/compaction/context.ts";
import { lockCompaction } from "../../src/archive/compaction/lock.ts";
import { sealSegment } from "../../src/archive/compaction/seal-segment.ts";
import { runSteps } from "../../src/archive/compaction/steps.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import { createReader, type Reader } from "../../src/archive/threads/reader.ts";
import { startPreparation } from "../../src/archive/write/prepare.ts";
import { createBatchWriter } from "../../src/archive/write/write-batch.ts";
import type { FileLock } from "../../src/db/folder-lock.ts";
import type { Platform, Post } from "../../src/posts/post.ts";

type ShownRecord = {
  ID: string;
  Content: string;
  Metadata: {
    uri: string;
    platform: Platform;
    conversation_id: string | null;
    in_reply_to: ShownReference | null;
    quoted: ShownReference | null;
    reposted: ShownReference | null;
  };
};
type ShownReference = { id: string | null; uri: string | null };

/** An archive that runs on the caller's thread. */
export type SmallArchive = {
  folder: string;
  write(changes: readonly ArchiveChange[], batch?: Partial<WriteBatch>): WriteReport;
  put(...posts: Post[]): WriteReport;
  search(request: Partial<SearchRequest> & Pick<SearchRequest, "plan">): SearchAnswer;
  /** `within_time:` counts back from 0. */
  query(query: string, request?: Partial<SearchRequest>): SearchAnswer;
  records(positions: readonly Position[]): ShownRecord[];
  reader: Reader;
  addCounts(): void;
  expire(nowMs: number): void;
  /** May buffer posts until `finishImport`. */
  importBatch(posts: readonly Post[], batch?: Partial<WriteBatch>): WriteReport;
  finishImport(): void;
  lockCompaction(): FileLock;
  importSealed(...batches: (readonly Post[])[]): WriteReport[];
  seal(): void;
  advanceCap(ms: number): void;
  /** Reopens the archive as after a crash with everything committed. */
  reopen(): void;
  remove(): void;
};

export function smallArchive(
  segmentPosts = 1_000,
  nowMs = (): number => 0,
  minSealedPosts = 1,
  maxBytes = Number.POSITIVE_INFINITY,
): SmallArchive {
  const root = mkdtempSync(join(tmpdir(), "earshot-archive-"));
  const folder = join(root, "archive");
  mkdirSync(folder);
  let catalog = openCatalog(folder);
  const uriKey = readUriKey(catalog);
  const settings = {
    segmentPosts,
    maxBytes,
    sealedImport: { minPosts: minSealedPosts, now: () => 0 },
  };
  let writer = createArchiveWriter(folder, catalog, settings);
  const clock = { now: nowMs, elapsed: () => 0 };
  let reader = createReader(folder, 1_000, clock);

  let capMs = Date.UTC(2030, 0, 1);

  const archive: SmallArchive = {
    folder,
    write: (changes, { checkpoints = [], coverage = [] } = {}) => {
      const preparation = startPreparation(uriKey, capMs);
      changes.forEach(preparation.add);
      return writer.write({ ...preparation.prepared(), checkpoints, coverage });
    },
    put: (...posts) => archive.write(posts.map((post) => ({ kind: "upsert", post }))),
    search: (request) =>
      reader.operations.search({
        platforms: ["bluesky", "mastodon", "x"],
        fromMs: null,
        toMs: null,
        after: null,
        limit: 100,
        deadlineMs: Number.POSITIVE_INFINITY,
        ...request,
      }),
    query: (query, request = {}) => {
      const { tree } = parseQuery(query);
      const names = reader.operations.resolve(namesIn(tree));
      return archive.search({ plan: makePlan(tree, { names, asOfMs: 0 }), ...request });
    },
    records: (positions) =>
      reader.operations.records(positions).records.map((text) => JSON.parse(text) as ShownRecord),
    addCounts: () => {
      writer.closeCounts();
      while (writer.addCounts());
    },
    expire: (nowMs) => writer.expire(nowMs),
    importBatch: (posts, { checkpoints = [], coverage = [] } = {}) => {
      const preparation = startPreparation(uriKey, capMs);
      for (const post of posts) preparation.add({ kind: "upsert", post });
      const { changes, handles } = preparation.prepared();
      const packer = createPostPacker();
      for (const change of changes) if (change.kind === "upsert") packer.add(change);
      return writer.importPosts({ posts: packer.end(handles), checkpoints, coverage });
    },
    finishImport: () => writer.finishImport(),
    importSealed: (...batches) => {
      const reports = batches.map((posts) => archive.importBatch(posts));
      writer.finishImport();
      return reports;
    },
    lockCompaction: () => {
      const lock = lockCompaction(folder);
      if (lock === null) throw new Error("another process is compacting this archive");
      return lock;
    },
    seal: () => {
      const context = compactionContext(folder, archiveDefaults, { now: () => 0 });
      for (const entry of readSegments(context.catalog)) {
        const { isDone } = runSteps(sealSegment(context, entry));
        if (!isDone) throw new Error(`segment ${entry.sequence} was not sealed`);
      }
      context.catalog.close();
    },
    advanceCap: (ms) => {
      capMs += ms;
    },
    get reader() {
      return reader;
    },
    reopen: () => {
      reader.close();
      writer.close();
      catalog = openCatalog(folder);
      writer = createArchiveWriter(folder, catalog, settings);
      reader = createReader(folder, 1_000, clock);
    },
    remove: () => {
      reader.close();
      writer.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return archive;
}

export function openSecondCatalog({ folder }: SmallArchive): {
  put(...posts: Post[]): WriteReport;
  close(): void;
} {
  const catalog = openCatalog(folder);
  const writer = createBatchWriter(folder, catalog, {
    segmentPosts: 2,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  return {
    put: (...posts) => {
      const preparation = startPreparation(readUriKey(catalog), Date.UTC(2030, 0, 1));
      for (const post of posts) preparation.add({ kind: "upsert", post });
      return writer.write({ ...preparation.prepared(), checkpoints: [], coverage: [] });
    },
    close: writer.close,
  };
}
