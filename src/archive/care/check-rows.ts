import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../lib/errors.ts";
import { firstTimeMs, hashUri, idTimeMs, tellsTime, xUri } from "../../posts/ids.ts";
import { recordOrigin, recordUri } from "../../posts/record.ts";
import { readSetting, readUriKey, type SegmentEntry } from "../catalog.ts";
import { isStrayed, strayedOf } from "../strayed.ts";
import type { Findings } from "./findings.ts";
import { rowsOf, type SegmentRow } from "./segment-rows.ts";

export type CheckedSegment = { catalog: DatabaseSync; entry: SegmentEntry; database: DatabaseSync };

/** Rows between two turns. */
const rowsOfTurn = 500;

/**
 * Compares the rows of a segment with what the segment and the catalog say of them. `onRow` gets every row that can be read.
 * Yields how many rows were looked at since the last turn.
 */
export function* checkRows(
  { catalog, entry, database }: CheckedSegment,
  findings: Findings,
  onRow: (row: SegmentRow, index: number) => void,
): Generator<number, void> {
  const { platform } = entry;
  const segment = `${platform}/${entry.sequence}`;
  const add = (kind: Parameters<Findings["add"]>[0]["kind"], message: string, more = {}): void =>
    findings.add({ kind, message: `segment ${segment}: ${message}`, platform, segment, ...more });
  const lookUp = lookUpsIn(catalog, entry, database);
  const seen = { rows: 0, imported: 0, hashed: 0 };

  for (const row of rowsOf(database, platform)) {
    const { id } = row;
    seen.rows += 1;
    if (seen.rows % rowsOfTurn === 0) yield rowsOfTurn;
    if (id < entry.low || id > entry.high)
      add("id_outside", `post ${id} is another segment's`, { id });
    const uri = uriOf(row, (reason) =>
      add("row_unreadable", `the record of post ${id} cannot be read: ${reason}`, { id }),
    );
    if (uri === null) continue;
    if (recordOrigin(row.record) === "import") seen.imported += 1;
    if (isOutside(row, entry)) {
      add(
        "time_outside",
        `the time of post ${id} lies further from that of its ID than the catalog says`,
        { id, uri },
      );
    }
    const deletedAt = lookUp.deletedAt(uri);
    if (deletedAt !== null && deletedAt >= row.revision) {
      add("deleted_but_held", `post ${id} is held though it was deleted: ${uri}`, { id, uri });
    }
    if (platform !== "x" || uri !== xUri(id)) {
      const hash = lookUp.hashOf(uri);
      if (lookUp.isEntered(hash, id)) seen.hashed += 1;
      else add("uri_entry_missing", `post ${id} is not found by its uri, ${uri}`, { id, uri });
      if (isStrayed(platform, uri, id) && !lookUp.isListed(hash, id)) {
        add(
          "stray_not_listed",
          `post ${id} is not found by its uri, as it lies far from the time that it tells: ${uri}`,
          { id, uri },
        );
      }
    }
    onRow(row, seen.rows - 1);
  }
  yield seen.rows % rowsOfTurn;

  for (const [name, number] of [
    ["posts", seen.rows],
    ["imported", seen.imported],
  ] as const) {
    const said = lookUp.setting(name);
    if (said !== number) add("number_differs", `it says ${name} ${said}, and holds ${number}`);
  }
  if (lookUp.entries() > seen.hashed) {
    for (const id of lookUp.wrongEntries()) {
      add("uri_entry_wrong", `an entry names post ${id} by a uri that it does not have`, { id });
    }
  }
  for (const id of lookUp.hiddenWithoutPost()) {
    add("hidden_without_post", `it hides post ${id}, which it does not hold`, { id });
  }
  const step = Number(readSetting(catalog, "count_step"));
  if (lookUp.setting("counted") > step + 1) {
    add(
      "counts_ahead",
      `it has counts of step ${lookUp.setting("counted")}, and the catalog is at ${step}`,
    );
  }
}

function uriOf(row: SegmentRow, onFault: (reason: string) => void): string | null {
  try {
    return recordUri(row);
  } catch (error) {
    onFault(messageOf(error));
    return null;
  }
}

/** What is older than IDs with a time is looked for among those without one, whatever the skew. */
function isOutside({ id, timeMs }: SegmentRow, { skew }: SegmentEntry): boolean {
  if (!tellsTime(id) && timeMs <= firstTimeMs) return false;
  const off = timeMs - idTimeMs(id);
  return off < skew.minMs || off > skew.maxMs;
}

function lookUpsIn(catalog: DatabaseSync, { platform }: SegmentEntry, database: DatabaseSync) {
  const uriKey = readUriKey(catalog);
  const strayed = strayedOf(catalog);
  const tombstone = catalog.prepare(
    "SELECT revision FROM tombstone WHERE platform = ? AND uri = ?",
  );
  const entered = database.prepare("SELECT 1 FROM uri WHERE hash = ? AND id = ?");
  const setting = database.prepare("SELECT value FROM setting WHERE name = ?");
  const number = (sql: string): number => Number(database.prepare(sql).get()?.number);
  const bigints = (sql: string): bigint[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map(({ id }) => id as bigint);
  };
  const hashOf = (uri: string): bigint => hashUri(uriKey, uri).lookup;
  const row = database.prepare("SELECT record FROM post WHERE id = ?");

  function isRight(hash: bigint, id: bigint): boolean {
    const record = row.get(id)?.record;
    if (record === undefined) return false;
    const counts = { likes: null, reposts: null, replies: null, quotes: null };
    try {
      return (
        hashOf(recordUri({ id, platform, timeMs: 0, counts, record: String(record) })) === hash
      );
    } catch {
      return true;
    }
  }

  return {
    hashOf,
    deletedAt: (uri: string): string | null => {
      const found = tombstone.get(platform, uri);
      return found === undefined ? null : String(found.revision);
    },
    isEntered: (hash: bigint, id: bigint): boolean => entered.get(hash, id) !== undefined,
    isListed: (hash: bigint, id: bigint): boolean => strayed.idsOf(platform, hash).includes(id),
    setting: (name: string): number => Number(setting.get(name)?.value ?? 0),
    entries: (): number => number("SELECT count(*) AS number FROM uri"),
    wrongEntries: function* (): Generator<bigint> {
      const entries = database.prepare("SELECT hash, id FROM uri");
      entries.setReadBigInts(true);
      for (const { hash, id } of entries.iterate()) {
        if (!isRight(hash as bigint, id as bigint)) yield id as bigint;
      }
    },
    hiddenWithoutPost: (): bigint[] =>
      bigints(
        "SELECT id FROM hidden WHERE NOT EXISTS (SELECT 1 FROM post WHERE post.id = hidden.id)",
      ),
  };
}
