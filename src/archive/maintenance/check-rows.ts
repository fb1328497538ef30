import type { DatabaseSync } from "node:sqlite";
import { firstTimeMs, hasTime, idTimeMs, lookupHash, xUri } from "../../posts/ids.ts";
import { recordOrigin, recordUri } from "../../posts/record.ts";
import { readSetting, readUriKey, type SegmentEntry } from "../catalog/catalog.ts";
import { isMisplaced, openMisplacedPosts } from "../catalog/misplaced.ts";
import type { UnreadableIds } from "../segments/intact-rows.ts";
import type { Finding, FindingKind, Findings } from "./findings.ts";
import { readSegmentRows, type SegmentRow } from "./segment-rows.ts";
import { tryReading } from "./try-reading.ts";

export type CheckedSegment = { catalog: DatabaseSync; entry: SegmentEntry; database: DatabaseSync };

const rowsPerStep = 500;

export function* checkRows(
  { catalog, entry, database }: CheckedSegment,
  findings: Findings,
  onRow: (row: SegmentRow, index: number) => void,
): Generator<number, void> {
  const { platform } = entry;
  const segment = `${platform}/${entry.sequence}`;
  const add = (kind: FindingKind, message: string, details: Partial<Finding> = {}): void =>
    findings.add({
      kind,
      message: `segment ${segment}: ${message}`,
      platform,
      segment,
      ...details,
    });
  const onDamage = (message: string): void => add("file_damaged", message);
  const lookups = tryReading("its tables", () => openLookups(catalog, entry, database), onDamage);
  if (lookups === null) return;
  const totals = { rows: 0, imported: 0, hashed: 0 };

  function checkUri({ id, revision }: SegmentRow, uri: string): void {
    const deletionRevision = lookups?.deletionRevision(uri) ?? null;
    if (deletionRevision !== null && deletionRevision >= revision) {
      add("deleted_but_held", `post ${id} is stored although it is deleted: ${uri}`, { id, uri });
    }
    if (lookups === null || (platform === "x" && uri === xUri(id))) return;
    const hash = lookups.hashUri(uri);
    if (lookups.hasUriEntry(hash, id)) totals.hashed += 1;
    else add("uri_entry_missing", `post ${id} cannot be found by its uri, ${uri}`, { id, uri });
    if (!isMisplaced(platform, uri, id) || lookups.isListed(hash, id)) return;
    add(
      "stray_not_listed",
      `post ${id} cannot be found by its uri, because it is stored far from the time in it: ${uri}`,
      { id, uri },
    );
  }

  const rows = readSegmentRows(database, platform, (ids, reason) =>
    add("row_unreadable", `${unreadableText(ids)} cannot be read: ${reason}`),
  );
  for (const row of rows) {
    const { id } = row;
    totals.rows += 1;
    if (totals.rows % rowsPerStep === 0) yield rowsPerStep;
    if (id < entry.low || id > entry.high)
      add("id_outside", `post ${id} belongs to another segment`, { id });
    const onUnreadable = (message: string): void => add("row_unreadable", message, { id });
    const decodedRecord = tryReading(
      `the record of post ${id}`,
      () => ({ uri: recordUri(row), origin: recordOrigin(row.record) }),
      onUnreadable,
    );
    if (decodedRecord === null) continue;
    const { uri } = decodedRecord;
    if (decodedRecord.origin === "import") totals.imported += 1;
    if (isOutside(row, entry)) {
      add(
        "time_outside",
        `the time of post ${id} differs from the time in its ID by more than the catalog allows`,
        { id, uri },
      );
    }
    tryReading(`the lookup entries of post ${id}`, () => checkUri(row, uri), onDamage);
    tryReading(`the record of post ${id}`, () => onRow(row, totals.rows - 1), onUnreadable);
  }
  yield totals.rows % rowsPerStep;

  tryReading(
    "its settings",
    () => {
      for (const name of ["posts", "imported"] as const) {
        const count = name === "posts" ? totals.rows : totals.imported;
        const recordedCount = lookups.setting(name);
        if (recordedCount !== count)
          add("number_differs", `it records ${recordedCount} ${name}, but contains ${count}`);
      }
      const catalogBatch = Number(readSetting(catalog, "count_step"));
      const segmentBatch = lookups.setting("counted");
      if (segmentBatch <= catalogBatch + 1) return;
      add(
        "counts_ahead",
        `it has count batch ${segmentBatch}, but the catalog is at batch ${catalogBatch}`,
      );
    },
    onDamage,
  );
  tryReading(
    "its list of uris",
    () => {
      if (lookups.entryCount() <= totals.hashed) return;
      for (const id of lookups.wrongEntryIds()) {
        add("uri_entry_wrong", `an entry maps a different uri to post ${id}`, { id });
      }
    },
    onDamage,
  );
  tryReading(
    "its list of hidden posts",
    () => {
      for (const id of lookups.hiddenWithoutPost()) {
        add("hidden_without_post", `it hides post ${id}, which is not stored`, { id });
      }
    },
    onDamage,
  );
}

const unreadableText = ({ from, to }: UnreadableIds): string =>
  to === null
    ? `posts with IDs above ${from}`
    : to - from === 2n
      ? `post ${from + 1n}`
      : `posts with IDs between ${from} and ${to}`;

function isOutside({ id, timeMs }: SegmentRow, { skew }: SegmentEntry): boolean {
  if (!hasTime(id) && timeMs <= firstTimeMs) return false;
  const offsetMs = timeMs - idTimeMs(id);
  return offsetMs < skew.minMs || offsetMs > skew.maxMs;
}

function openLookups(catalog: DatabaseSync, { platform }: SegmentEntry, database: DatabaseSync) {
  const uriKey = readUriKey(catalog);
  const misplaced = openMisplacedPosts(catalog);
  const selectTombstone = catalog.prepare(
    "SELECT revision FROM tombstone WHERE platform = ? AND uri = ?",
  );
  const selectUri = database.prepare("SELECT 1 FROM uri WHERE hash = ? AND id = ?");
  const selectSetting = database.prepare("SELECT value FROM setting WHERE name = ?");
  const readNumber = (sql: string): number => Number(database.prepare(sql).get()?.number);
  const readIds = (sql: string): bigint[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map(({ id }) => id as bigint);
  };
  const hashUri = (uri: string): bigint => lookupHash(uriKey, uri);
  const selectRecord = database.prepare("SELECT record FROM post WHERE id = ?");

  function isEntryCorrect(hash: bigint, id: bigint): boolean {
    const record = selectRecord.get(id)?.record;
    if (record === undefined) return false;
    const counts = { likes: null, reposts: null, replies: null, quotes: null };
    try {
      return (
        hashUri(recordUri({ id, platform, timeMs: 0, counts, record: String(record) })) === hash
      );
    } catch {
      return true;
    }
  }

  return {
    hashUri,
    deletionRevision: (uri: string): string | null => {
      const row = selectTombstone.get(platform, uri);
      return row === undefined ? null : String(row.revision);
    },
    hasUriEntry: (hash: bigint, id: bigint): boolean => selectUri.get(hash, id) !== undefined,
    isListed: (hash: bigint, id: bigint): boolean => misplaced.isListed(platform, hash, id),
    setting: (name: string): number => Number(selectSetting.get(name)?.value ?? 0),
    entryCount: (): number => readNumber("SELECT count(*) AS number FROM uri"),
    wrongEntryIds: function* (): Generator<bigint> {
      const selectUris = database.prepare("SELECT hash, id FROM uri");
      selectUris.setReadBigInts(true);
      for (const { hash, id } of selectUris.iterate()) {
        if (!isEntryCorrect(hash as bigint, id as bigint)) yield id as bigint;
      }
    },
    hiddenWithoutPost: (): bigint[] =>
      readIds(
        "SELECT id FROM hidden WHERE NOT EXISTS (SELECT 1 FROM post WHERE post.id = hidden.id)",
      ),
  };
}
