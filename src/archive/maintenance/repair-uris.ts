import type { DatabaseSync } from "node:sqlite";
import { lookupHash, xUri } from "../../posts/ids.ts";
import { recordUri } from "../../posts/record.ts";
import { readSegments, readUriKey, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { inTransaction, openForReading } from "../database.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { openTableChecksums } from "../segments/table-checksums.ts";
import { rowByIdReader } from "./segment-rows.ts";

const postsPerStep = 500;
const lowestHash = -(2n ** 63n);

type Entry = { hash: bigint; id: bigint };

export function* repairUris(
  folder: string,
  catalog: DatabaseSync,
  entry: SegmentEntry,
): Generator<void> {
  const source = openForReading(segmentPath(folder, entry), 4_000);
  const uriKey = readUriKey(catalog);
  const entryOf = entryReader(uriKey, entry);
  try {
    for (const entries of expectedEntries(source, entryOf(source))) {
      const isStored = entryFinder(source);
      const missingEntries = entries.filter((expected) => !isStored(expected));
      if (missingEntries.length > 0) {
        inSegmentTransaction(folder, catalog, entry, (target) => {
          const insert = target.prepare("INSERT OR IGNORE INTO uri VALUES(?, ?)");
          for (const { id } of missingEntries) {
            const currentEntry = entryOf(target)(id);
            if (currentEntry !== null) insert.run(currentEntry.hash, id);
          }
        });
      }
      yield;
    }
    for (const entries of storedEntries(source)) {
      const isCorrect = entryVerifier(entryOf(source));
      const wrongEntries = entries.filter((stored) => !isCorrect(stored));
      if (wrongEntries.length > 0) {
        inSegmentTransaction(folder, catalog, entry, (target) => {
          const isStillCorrect = entryVerifier(entryOf(target));
          const remove = target.prepare("DELETE FROM uri WHERE hash = ? AND id = ?");
          for (const stored of wrongEntries)
            if (!isStillCorrect(stored)) remove.run(stored.hash, stored.id);
        });
      }
      yield;
    }
  } finally {
    source.close();
  }
}

const entryReader =
  (uriKey: string, { platform }: SegmentEntry) =>
  (database: DatabaseSync): ((id: bigint) => Entry | null) => {
    const read = rowByIdReader(database, platform);
    return (id) => {
      const row = read(id);
      if (row === null) return null;
      const uri = recordUri(row);
      if (platform === "x" && uri === xUri(id)) return null;
      return { hash: lookupHash(uriKey, uri), id };
    };
  };

const entryVerifier =
  (entryOf: (id: bigint) => Entry | null) =>
  ({ hash, id }: Entry): boolean =>
    entryOf(id)?.hash === hash;

function entryFinder(database: DatabaseSync): (entry: Entry) => boolean {
  const selectUri = database.prepare("SELECT 1 FROM uri WHERE hash = ? AND id = ?");
  return ({ hash, id }) => selectUri.get(hash, id) !== undefined;
}

function* expectedEntries(
  database: DatabaseSync,
  entryOf: (id: bigint) => Entry | null,
): Generator<Entry[]> {
  const selectPosts = database.prepare("SELECT id FROM post WHERE id > ? ORDER BY id LIMIT ?");
  selectPosts.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const ids = selectPosts.all(last, postsPerStep).map(({ id }) => id as bigint);
    const end = ids.at(-1);
    if (end === undefined) return;
    yield ids.map(entryOf).filter((entry) => entry !== null);
    last = end;
  }
}

function* storedEntries(database: DatabaseSync): Generator<Entry[]> {
  const selectUris = database.prepare(
    "SELECT hash, id FROM uri WHERE (hash, id) > (?, ?) ORDER BY hash, id LIMIT ?",
  );
  selectUris.setReadBigInts(true);
  for (let last: Entry = { hash: lowestHash, id: -1n }; ; ) {
    const entries = selectUris.all(last.hash, last.id, postsPerStep) as Entry[];
    const end = entries.at(-1);
    if (end === undefined) return;
    yield entries;
    last = end;
  }
}

function inSegmentTransaction(
  folder: string,
  catalog: DatabaseSync,
  { platform, sequence }: SegmentEntry,
  work: (target: DatabaseSync) => void,
): void {
  inTransaction(catalog, () => {
    const entry = readSegments(catalog).find(
      (segment) => segment.platform === platform && segment.sequence === sequence,
    );
    if (entry === undefined) return;
    const target = openSegmentFile(segmentPath(folder, entry), 2_000);
    const tableChecksums = openTableChecksums(target);
    try {
      inTransaction(target, () => {
        tableChecksums.begin();
        work(target);
        tableChecksums.end();
      });
    } finally {
      tableChecksums.discard();
      target.close();
    }
  });
}
