import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSegments } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { addPendingSeals } from "../../src/archive/catalog/pending-tasks.ts";
import type { CompactionState } from "../../src/archive/compaction-state.ts";
import { changeCatalog } from "../../testkit/archives/change-catalog.ts";
import { type SmallArchive, smallArchive } from "../../testkit/archives/small-archive.ts";
import { makePost } from "../../testkit/data/make-post.ts";

const child = join(import.meta.dirname, "../../testkit/archives/compact-once.ts");

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(4_000);
});
afterEach(() => archive.remove());

/** A file size limit in 512-byte blocks acts as a full disk. */
function compactOnce(blocks: number | "unlimited"): CompactionState {
  const command = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$1" "$2"`;
  const output = execFileSync("bash", ["-c", command, process.execPath, child, archive.folder]);
  return JSON.parse(output.toString()) as CompactionState;
}

/** The first segment has 4,000 posts. */
function fill(): void {
  archive.put(
    ...Array.from({ length: 6_000 }, (_, n) =>
      makePost({
        key: `k${n}`,
        createdMs: Date.UTC(2026, 0, 1) + n * 1_000,
        text: `river stone number ${n} ${"harbour night ".repeat(5)}`,
      }),
    ),
  );
}

test("a copy of a segment that does not fit on the disk is removed, the segment stays, and the copy is created once there is room", () => {
  fill();
  const catalog = openCatalog(archive.folder);
  changeCatalog(catalog, "UPDATE segment SET analyzer = '1 15.0' WHERE sequence = 1");
  catalog.close();
  const folder = join(archive.folder, "bluesky");
  const { size } = statSync(join(folder, "000001.db"));

  const full = compactOnce(Math.floor(size / 2 / 1024));
  expect(full).toMatchObject({ error: { kind: "reindex" }, done: { reindex: 0 } });
  expect(readdirSync(folder).filter((name) => name.startsWith("000003"))).toEqual([]);
  expect(archive.query("river number", { limit: 10_000 }).positions).toHaveLength(6_000);
  archive.put(makePost({ key: "meanwhile", createdMs: Date.UTC(2026, 0, 1) + 500 }));

  expect(compactOnce("unlimited")).toMatchObject({ error: null, done: { reindex: 1 } });
  expect(archive.query("river number", { limit: 10_000 }).positions).toHaveLength(6_000);
  expect(archive.search({ plan: { kind: "all" }, limit: 10_000 }).positions).toHaveLength(6_001);
});

test("a segment stays unchanged if the disk fills up at any point of sealing, and is sealed once there is room", () => {
  fill();
  const catalog = openCatalog(archive.folder);
  addPendingSeals(catalog, readSegments(catalog).slice(0, 1));
  catalog.close();
  const folder = join(archive.folder, "bluesky");
  const before = archive.query("river number", { limit: 10_000 }).positions;
  const { size } = statSync(join(folder, "000001.db"));
  // While copying rows, building the index, writing its last pages.
  for (const share of [0.02, 0.2, 0.4, 0.48]) {
    const full = compactOnce(Math.floor((size * share) / 1024));
    expect(full).toMatchObject({ error: { kind: "seal" }, done: { seal: 0 } });
    expect(readdirSync(folder).filter((name) => name.startsWith("000003"))).toEqual([]);
    expect(archive.query("river number", { limit: 10_000 }).positions).toEqual(before);
  }
  archive.put(makePost({ key: "meanwhile", createdMs: Date.UTC(2026, 0, 1) + 500 }));

  expect(compactOnce("unlimited")).toMatchObject({ error: null, done: { seal: 1 } });
  expect(archive.query("river number", { limit: 10_000 }).positions).toEqual(before);
  expect(archive.search({ plan: { kind: "all" }, limit: 10_000 }).positions).toHaveLength(6_001);
});
