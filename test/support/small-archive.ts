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
import { catalogPath, catalogSchema, readUriKey } from "../../src/archive/catalog.ts";
import { openForWriting } from "../../src/archive/database.ts";
import { prepareChanges } from "../../src/archive/prepare.ts";
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
  /** Closes all files and opens them again, as after a crash that left everything committed. */
  reopen(): void;
  remove(): void;
};

export function smallArchive(segmentPosts = 1_000, nowMs = (): number => 0): SmallArchive {
  const root = mkdtempSync(join(tmpdir(), "earshot-archive-"));
  const folder = join(root, "archive");
  mkdirSync(folder);
  let catalog = openForWriting(catalogPath(folder), catalogSchema);
  const uriKey = readUriKey(catalog);
  let writer = createBatchWriter(folder, catalog, segmentPosts);
  let reader = createReader(folder, 1_000, nowMs);

  const archive: SmallArchive = {
    folder,
    write: (changes, rest = {}) =>
      writer.write({
        ...prepareChanges(changes, uriKey, Date.UTC(2030, 0, 1)),
        checkpoints: rest.checkpoints ?? [],
        coverage: rest.coverage ?? [],
      }),
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
    get reader() {
      return reader;
    },
    reopen: () => {
      reader.close();
      writer.close();
      catalog = openForWriting(catalogPath(folder), catalogSchema);
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
