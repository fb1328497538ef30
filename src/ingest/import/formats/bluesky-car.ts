import { EarshotError } from "../../../lib/errors.ts";
import { profileCollection } from "../../../platforms/bluesky/collections.ts";
import { postCollection } from "../../../platforms/bluesky/post.ts";
import { profileKey, readProfileRecord } from "../../../platforms/bluesky/profile.ts";
import { type Repository, readRepository } from "../../../platforms/bluesky/repository.ts";
import type { TreeEntry } from "../../../platforms/bluesky/repository-tree.ts";
import type { Post } from "../../../posts/post.ts";
import { readRecordPost } from "../../backfill/read-record-post.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";
import { unreadableImport } from "../source-bytes.ts";
import type { FileRecord, RecordsFormat } from "./format.ts";

/** `author` is the account's handle, which a repository lacks. */
export type BlueskyCarOptions = { maxRepositoryBytes: number; author: string | null };

/** Reads the whole repository into memory. Verifies the hashes of blocks, but not the signature. */
export function blueskyCarFormat({ maxRepositoryBytes, author }: BlueskyCarOptions): RecordsFormat {
  return {
    key: author === null ? "bluesky-car" : `bluesky-car:${author}`,
    records: async function* (source, { clock }) {
      const request = { did: null, clock, collections: [postCollection, profileCollection] };
      const pieces = boundedPieces(source, maxRepositoryBytes);
      const repository = await readRepository(pieces, request).catch((error: unknown) => {
        const isUnreadable =
          error instanceof EarshotError && error.code === "repository_unreadable";
        throw isUnreadable ? unreadableImport(source.name, error) : error;
      });
      yield listRecords(repository, author);
    },
  };
}

async function* boundedPieces(source: ImportSource, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of source.pieces(0)) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new EarshotError(
        "import_too_large",
        `${source.name}: the repository is larger than ${maxBytes} bytes`,
        {
          status: 413,
          hint: "raise EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES if memory allows, because a repository is read into memory",
        },
      );
    }
    yield piece;
  }
}

function* listRecords(repository: Repository, author: string | null): Generator<FileRecord> {
  const { did, entries, readRecord } = repository;
  const profile = entries.find(({ path }) => path === `${profileCollection}/${profileKey}`);
  const names = {
    username: author ?? "",
    authorName: profile === undefined ? null : readProfileRecord(readRecord(profile)).name,
  };
  const posts = entries.filter(({ path }) => path.startsWith(`${postCollection}/`));
  for (const [index, entry] of posts.entries()) {
    yield {
      number: index + 1,
      endOffset: 0,
      size: estimatedRecordBytes,
      raw: () => Buffer.from(JSON.stringify({ uri: `at://${did}/${entry.path}` })),
      head: null,
      read: ({ nowMs }) => ({ ...makePost(entry, repository, nowMs), ...names }),
    };
  }
}

const estimatedRecordBytes = 1_000;

function makePost(entry: TreeEntry, { did, readRecord }: Repository, nowMs: number): Post {
  const rkey = entry.path.slice(postCollection.length + 1);
  const record = readRecord(entry);
  if (record === undefined) {
    throw new RecordError(`${entry.path}: its block is missing or does not match its hash`);
  }
  const post = readRecordPost({ did, rkey, record, rev: "" }, nowMs);
  if (post === null) throw new RecordError(`${entry.path}: expected a post record`);
  if (post.createdMs === null && post.seenMs === null) {
    throw new RecordError(`${entry.path}: createdAt: expected a time in ISO 8601`);
  }
  return { ...post, origin: "import" };
}
