import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ArchiveChange,
  SearchAnswer,
  SearchRequest,
  WriteBatch,
  WriteReport,
} from "../../src/archive/archive.ts";
import {
  catalogCacheKib,
  catalogPath,
  catalogSchema,
  readUriKey,
} from "../../src/archive/catalog.ts";
import { openForWriting } from "../../src/archive/database.ts";
import { startPreparation } from "../../src/archive/prepare.ts";
import { createReader, type Reader } from "../../src/archive/reader.ts";
import { createBatchWriter } from "../../src/archive/write-batch.ts";
import type { Post } from "../../src/posts/post.ts";

/** An archive in a temporary folder whose writing and reading happen in the caller's thread. */
export type SmallArchive = {
  folder: string;
  write(changes: readonly ArchiveChange[], rest?: Partial<WriteBatch>): WriteReport;
  put(...posts: Post[]): WriteReport;
  search(request: Partial<SearchRequest> & Pick<SearchRequest, "plan">): SearchAnswer;
  reader: Reader;
  /** Lets time pass for what caps times to come. */
  laterBy(ms: number): void;
  /** Closes all files and opens them again, as after a crash that left everything committed. */
  reopen(): void;
  remove(): void;
};

export function smallArchive(segmentPosts = 1_000, nowMs = (): number => 0): SmallArchive {
  const root = mkdtempSync(join(tmpdir(), "earshot-archive-"));
  const folder = join(root, "archive");
  mkdirSync(folder);
  let catalog = openForWriting(catalogPath(folder), catalogSchema, catalogCacheKib);
  const uriKey = readUriKey(catalog);
  let writer = createBatchWriter(folder, catalog, segmentPosts);
  let reader = createReader(folder, 1_000, nowMs);

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
    laterBy: (ms) => {
      capMs += ms;
    },
    get reader() {
      return reader;
    },
    reopen: () => {
      reader.close();
      writer.close();
      catalog = openForWriting(catalogPath(folder), catalogSchema, catalogCacheKib);
      writer = createBatchWriter(folder, catalog, segmentPosts);
      reader = createReader(folder, 1_000, nowMs);
    },
    remove: () => {
      reader.close();
      writer.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return archive;
}

/** Another process's writer on the same folder. */
export function openCatalogBeside({ folder }: SmallArchive): {
  put(...posts: Post[]): WriteReport;
  close(): void;
} {
  const catalog = openForWriting(catalogPath(folder), catalogSchema, catalogCacheKib);
  const writer = createBatchWriter(folder, catalog, 2);
  return {
    put: (...posts) => {
      const preparation = startPreparation(readUriKey(catalog), Date.UTC(2030, 0, 1));
      for (const post of posts) preparation.add({ kind: "upsert", post });
      return writer.write({ ...preparation.prepared(), checkpoints: [], coverage: [] });
    },
    close: writer.close,
  };
}
