import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import type { Findings } from "./findings.ts";
import { tryReading } from "./try-reading.ts";

type OpenSegment = { entry: SegmentEntry; database: DatabaseSync };

const hashesPerPass = 4_000_000;
const lowestHash = -(2n ** 63n);
const hashCount = 2n ** 64n;

export function* checkDuplicateUris(
  platform: Platform,
  segments: readonly OpenSegment[],
  findings: Findings,
): Generator<number, void> {
  const readableSegments = segments.filter(({ entry, database }) =>
    isReadable(entry, database, findings),
  );
  const readers = readableSegments.map(({ entry, database }) =>
    hashReader(entry, database, findings),
  );
  const entryCount = readableSegments.reduce((sum, { database }) => sum + countUris(database), 0);
  const passes = BigInt(Math.max(1, Math.ceil(entryCount / hashesPerPass)));
  for (let pass = 0n; pass < passes; pass++) {
    const from = lowestHash + (hashCount * pass) / passes;
    const to = lowestHash + (hashCount * (pass + 1n)) / passes - 1n;
    const hashLists: bigint[][] = [];
    for (const read of readers) {
      hashLists.push(read(from, to));
      yield 0;
    }
    const sorted = BigInt64Array.from(hashLists.flat()).sort();
    for (let index = 1; index < sorted.length; index++) {
      const hash = sorted[index];
      if (hash === undefined || hash !== sorted[index - 1] || hash === sorted[index - 2]) continue;
      reportDuplicate(platform, hash, readableSegments, findings);
    }
    yield 0;
  }
}

const countUris = (database: DatabaseSync): number =>
  Number(database.prepare("SELECT count(*) AS n FROM uri").get()?.n);

function hashReader(entry: SegmentEntry, database: DatabaseSync, findings: Findings) {
  const statement = database.prepare("SELECT hash FROM uri WHERE hash BETWEEN ? AND ?");
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return (from: bigint, to: bigint): bigint[] => {
    const read = (): [bigint][] => statement.all(from, to) as unknown as [bigint][];
    return (tryReading(uriList, read, onDamage(entry, findings)) ?? []).map(([hash]) => hash);
  };
}

const isReadable = (entry: SegmentEntry, database: DatabaseSync, findings: Findings): boolean =>
  tryReading(uriList, () => countUris(database), onDamage(entry, findings)) !== null;

const uriList = "its list of uris";

const onDamage =
  (entry: SegmentEntry, findings: Findings) =>
  (message: string): void => {
    const { platform, sequence } = entry;
    const segment = `${platform}/${sequence}`;
    const path = segmentPath("", entry);
    findings.add({ kind: "file_damaged", platform, segment, message: `${path}: ${message}` });
  };

/** Different uris may share a hash, so the rows are compared. */
function reportDuplicate(
  platform: Platform,
  hash: bigint,
  segments: readonly OpenSegment[],
  findings: Findings,
): void {
  const storedPosts = segments.flatMap(({ entry, database }) => {
    const selectRecords = database.prepare(
      "SELECT post.id, record FROM uri JOIN post ON post.id = uri.id WHERE hash = ?",
    );
    selectRecords.setReadBigInts(true);
    const counts = { likes: null, reposts: null, replies: null, quotes: null };
    const read = (): { id: bigint; uri: string; segment: string }[] =>
      selectRecords.all(hash).map(({ id, record }) => ({
        segment: `${platform}/${entry.sequence}`,
        id: id as bigint,
        uri: recordUri({ id: id as bigint, platform, timeMs: 0, counts, record: String(record) }),
      }));
    return tryReading("its rows", read, () => {}) ?? [];
  });
  for (const [uri, copies] of Map.groupBy(storedPosts, (position) => position.uri)) {
    if (copies.length < 2) continue;
    const locations = copies.map(({ id, segment }) => `${id} in segment ${segment}`).join(" and ");
    findings.add({
      kind: "uri_twice",
      platform,
      uri,
      message: `${uri} is stored more than once, as post ${locations}`,
    });
  }
}
