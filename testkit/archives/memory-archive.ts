import type { Archive, ArchiveChange, WriteBatch, WriteReport } from "../../src/archive/archive.ts";
import type { ImportAnalysis } from "../../src/ingest/analysis/analysed-batch.ts";
import { readLines } from "../../src/ingest/analysis/read-lines.ts";
import { numberedId, postTimeMs } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";

export type MemoryArchive = Pick<
  Archive,
  "write" | "importPosts" | "readCheckpoint" | "accountsToLookUp" | "aliases"
> & {
  /** Analyzes on the caller's thread. */
  analysis: ImportAnalysis;
  posts: Map<string, Post>;
  aliasUris: Map<string, string>;
  idOf(post: Post): bigint;
  tombstones: Map<string, string>;
  handles: Map<string, string>;
  counts: Map<string, number>;
  statuses: Map<string, string>;
  profiles: Map<string, Extract<ArchiveChange, { kind: "profile" }>>;
  labels: Map<string, Extract<ArchiveChange, { kind: "label" }>>;
  lookupTimes: Map<string, number>;
  checkpoints: Map<string, string>;
  batches: WriteBatch[];
  reports: WriteReport[];
  beforeWrite: (batch: WriteBatch) => Promise<void> | void;
  waitUntil(condition: () => boolean): Promise<void>;
};

export function createMemoryArchive(): MemoryArchive {
  const pendingChecks = new Set<() => void>();
  let lastWrite: Promise<unknown> = Promise.resolve();

  const preparedPosts = new Map<Uint8Array, readonly Post[]>();

  function prepare(posts: readonly Post[]): Uint8Array {
    const body = new Uint8Array(1);
    preparedPosts.set(body, posts);
    return body;
  }

  const archive: MemoryArchive = {
    analysis: {
      maxConcurrency: 1,
      lines: async (request) => {
        const { posts, result } = readLines(request);
        const body = prepare([...posts]);
        return { ...result(), body };
      },
      posts: async (posts) => ({ body: prepare(posts) }),
      close: async () => {},
    },
    importPosts: ({ posts, ...batch }) => {
      const importedPosts = (posts && preparedPosts.get(posts)) ?? [];
      return archive.write({
        ...batch,
        changes: importedPosts.map((post) => ({ kind: "upsert", post })),
      });
    },
    posts: new Map(),
    aliasUris: new Map(),
    tombstones: new Map(),
    handles: new Map(),
    counts: new Map(),
    statuses: new Map(),
    profiles: new Map(),
    labels: new Map(),
    lookupTimes: new Map(),
    checkpoints: new Map(),
    batches: [],
    reports: [],
    beforeWrite: () => {},
    accountsToLookUp: async (_platform, beforeMs, limit) => {
      const authors = new Set([...archive.posts.values()].flatMap(({ userId }) => userId ?? []));
      const lookupTime = (account: string) =>
        archive.lookupTimes.get(account) ?? Number.NEGATIVE_INFINITY;
      const accounts = [...authors].filter((account) => lookupTime(account) < beforeMs);
      return accounts.toSorted((a, b) => lookupTime(a) - lookupTime(b)).slice(0, limit);
    },
    aliases: async (platform, below, limit) =>
      [...archive.aliasUris]
        .flatMap(([name, uri]) => {
          const post = archive.posts.get(uri);
          return post === undefined
            ? []
            : [{ platform, id: archive.idOf(post), name, isStored: true }];
        })
        .filter(({ id }) => below === null || id < below)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit),
    idOf: (post) => {
      const number = BigInt([...archive.posts.keys()].indexOf(post.uri));
      return numberedId(postTimeMs(post, 0), number);
    },
    readCheckpoint: async (name) => archive.checkpoints.get(name) ?? null,
    write: (batch) => {
      const write = writeAfter(lastWrite, batch);
      lastWrite = write;
      const forget = () => {
        if (lastWrite === write) lastWrite = Promise.resolve();
      };
      write.then(forget, () => setImmediate(forget));
      return write;
    },
    waitUntil: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition()) return;
          pendingChecks.delete(check);
          resolve();
        };
        pendingChecks.add(check);
        check();
      }),
  };

  async function writeAfter(previous: Promise<unknown>, batch: WriteBatch): Promise<WriteReport> {
    await previous;
    await archive.beforeWrite(batch);
    const report = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };
    for (const change of batch.changes) apply(change, report);
    for (const { name, value } of batch.checkpoints ?? []) archive.checkpoints.set(name, value);
    archive.batches.push(batch);
    archive.reports.push(report);
    for (const check of pendingChecks) check();
    return report;
  }

  function apply(change: ArchiveChange, report: WriteReport): void {
    switch (change.kind) {
      case "upsert":
        put(change.post, report);
        if (change.alias !== undefined) archive.aliasUris.set(change.alias, change.post.uri);
        return;
      case "delete-stored": {
        const uri = archive.aliasUris.get(change.name) ?? change.name;
        if (archive.posts.has(uri)) {
          apply(
            { kind: "delete", platform: change.platform, uri, revision: change.revision },
            report,
          );
        }
        return;
      }
      case "delete":
        if (archive.posts.delete(change.uri)) report.deleted += 1;
        archive.tombstones.set(change.uri, change.revision);
        return;
      case "handle":
        archive.handles.set(change.userId, change.handle);
        return;
      case "count": {
        const key = `${change.metric} ${change.uri}`;
        archive.counts.set(key, (archive.counts.get(key) ?? 0) + change.increment);
        return;
      }
      case "account":
        archive.statuses.set(change.userId, change.status);
        return;
      case "profile":
        archive.profiles.set(change.userId, change);
        return;
      case "label": {
        const key = `${change.source} ${change.subject} ${change.value}`;
        if ((archive.labels.get(key)?.createdMs ?? 0) <= change.createdMs) {
          archive.labels.set(key, change);
        }
        return;
      }
      case "looked-up":
        archive.lookupTimes.set(change.userId, change.atMs);
    }
  }

  function put(post: Post, report: WriteReport): void {
    const stored = archive.posts.get(post.uri);
    const tombstone = archive.tombstones.get(post.uri);
    if (tombstone !== undefined && post.revision <= tombstone) report.suppressed += 1;
    else if (stored === undefined) report.inserted += 1;
    else if (isNewer(post, stored)) report.updated += 1;
    else {
      report.unchanged += 1;
      return;
    }
    if (tombstone === undefined || post.revision > tombstone) archive.posts.set(post.uri, post);
  }

  return archive;
}

function isNewer(post: Post, stored: Post): boolean {
  if (post.origin === "import" && stored.origin !== "import") return false;
  if (post.origin === "import")
    return JSON.stringify(importedFields(post)) !== JSON.stringify(importedFields(stored));
  return post.revision > stored.revision;
}

const importedFields = (post: Post) => [post.text, post.counts, post.createdMs];
