import { afterEach, beforeEach, expect, test } from "vitest";
import { readSegments, type SegmentEntry } from "../../src/archive/catalog/catalog.ts";
import { type CompactionContext, compactionContext } from "../../src/archive/compaction/context.ts";
import { sealSegment } from "../../src/archive/compaction/seal-segment.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import type { Platform } from "../../src/posts/post.ts";
import {
  changeAll,
  contents,
  posts,
  postsWithoutIds,
} from "../../testkit/archives/changed-archive.ts";
import { findingsIn } from "../../testkit/archives/findings-in.ts";
import { type SmallArchive, smallArchive } from "../../testkit/archives/small-archive.ts";

const count = 300;

let archive: SmallArchive;
let twin: SmallArchive;
let context: CompactionContext;
beforeEach(() => {
  archive = smallArchive(100_000);
  twin = smallArchive(100_000);
  context = compactionContext(archive.folder, archiveDefaults, { now: () => 0 });
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
  twin.remove();
});

function findEntry(platform: Platform): SegmentEntry {
  const found = readSegments(context.catalog).find((segment) => segment.platform === platform);
  if (found === undefined) throw new Error("no such segment");
  return found;
}

const sealedOf = (platform: Platform) =>
  archive.reader.operations
    .stats({ maxBytes: 0 })
    .segments.find((segment) => segment.platform === platform)?.sealed;

const findings = () => findingsIn(archive.folder);

test("every kind of write at any step of sealing or resealing is present afterwards", async () => {
  for (const target of [archive, twin]) target.put(...posts(count), ...postsWithoutIds(count));
  let step = 0;
  for (const platform of ["bluesky", "x", "bluesky", "x"] as const) {
    const { sequence } = findEntry(platform);
    const firstStep = step;
    for (const steps = sealSegment(context, findEntry(platform)); !steps.next().done; step += 1) {
      // Sealing would not finish if every step added changes.
      if (step - firstStep < 14)
        for (const target of [archive, twin]) changeAll(target, step, count);
    }
    expect(step - firstStep).toBeGreaterThan(5);
    expect(findEntry(platform).sequence).toBe(sequence + 1);
    expect(contents(archive)).toEqual(contents(twin));
    expect(await findings()).toEqual([]);
    expect(sealedOf(platform)?.delta).toBeGreaterThan(0);
    expect(sealedOf(platform)?.replaced).toBeGreaterThan(0);
  }
});
