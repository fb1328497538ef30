import { closeSync, openSync, writeSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lowestId } from "../../posts/ids.ts";
import { readSegments, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";

let archive: SmallArchive;
const startMs = Date.UTC(2026, 0, 1);

beforeEach(() => {
  archive = smallArchive(20);
  const bluesky = Array.from({ length: 30 }, (_, n) =>
    makePost({ key: `key${n}`, createdMs: startMs + n * 60_000, text: "comet" }),
  );
  const x = Array.from({ length: 5 }, (_, n) =>
    makePost({ platform: "x", nativeId: lowestId(startMs + n), text: "comet" }),
  );
  archive.put(...bluesky, ...x);
});
afterEach(() => archive.remove());

function firstSegmentPath(): string {
  const catalog = openForReading(`${archive.folder}/catalog.db`, 100);
  const [entry] = readSegments(catalog);
  catalog.close();
  if (entry === undefined) throw new Error("there is no segment");
  return segmentPath(archive.folder, entry);
}

function zero(table: string): void {
  const path = firstSegmentPath();
  const { pageBytes, tables } = pageMap(path);
  const page = tables.find((other) => other.table === table)?.pages[0] ?? 1;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
}

test.for(["sqlite_schema", "setting"])(
  "a segment whose table %s is unreadable is reported as damaged, and searches return the posts of the others",
  (table) => {
    const before = archive.query("comet").positions.length;
    archive.reopen();
    zero(table);
    const { positions, damage } = archive.query("comet");
    expect(before).toBe(35);
    expect(positions.length).toBeGreaterThan(0);
    expect(positions.length).toBeLessThan(before);
    expect(damage.length).toBe(1);
    expect(damage[0]).toMatchObject({ platform: "bluesky", sequence: 1 });
    expect(archive.query("comet", { platforms: ["x"] }).damage).toEqual([]);
  },
);
