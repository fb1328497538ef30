import { readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { archiveDefaults } from "../settings.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { replaceSegment } from "./replace-segment.ts";
import { copySegment, rewriteSegment } from "./rewrite.ts";
import { runSteps } from "./steps.ts";

let archive: SmallArchive;
let context: CompactionContext;
beforeEach(() => {
  archive = smallArchive(100_000);
  context = compactionContext(archive.folder, archiveDefaults, { now: () => 0 });
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
});

function entryOfX(): SegmentEntry {
  const entry = readSegments(context.catalog).find(({ platform }) => platform === "x");
  if (entry === undefined) throw new Error("no segment of X");
  return entry;
}

const unnumbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) =>
    makePost({
      platform: "x",
      uri: `import:x:${from + n}`,
      createdMs: Date.UTC(2026, 0, 1) + (from + n) * 1_000,
      text: `river ${from + n}`,
    }),
  );

test("copying a segment rewrites only the ingest numbers of moved posts, however many posts arrive", () => {
  archive.put(...unnumbered(0, 40));
  const entry = entryOfX();
  const { positions } = archive.search({ plan: { kind: "all" }, platforms: ["x"], limit: 2 });
  let setNumbersCalls: unknown[] = [];
  const steps = replaceSegment(context, entry, {
    cuts: [],
    shouldKeep: null,
    terms: "any",
    *fill(rewrite, { ingestOrderFrom }) {
      yield* copySegment(rewrite, ingestOrderFrom);
      for (const { copy } of rewrite.parts) {
        yield* copy.complete();
        setNumbersCalls = vi.spyOn(copy.ingestOrder, "setNumbers").mock.calls;
      }
      archive.put(...unnumbered(40, 340));
      const natives = positions.map(({ id }) =>
        makePost({ platform: "x", nativeId: id, userId: null, username: "jack", text: "late" }),
      );
      archive.put(...natives);
    },
  });
  expect(runSteps(steps)).toMatchObject({ isDone: true, posts: 342 });
  expect(setNumbersCalls.length).toBeGreaterThan(0);
  expect(setNumbersCalls.length).toBeLessThanOrEqual(4);
});

test("a copy is abandoned, and the segment left unchanged, if posts change faster than they are copied", () => {
  archive.put(...unnumbered(0, 40));
  const entry = entryOfX();
  const files = readdirSync(archive.folder).toSorted();
  const changes = new DatabaseSync(segmentPath(archive.folder, entry), { readOnly: true });
  const countChanged = changes.prepare("SELECT count(*) AS posts FROM changed");
  const replacement = { cuts: [], shouldKeep: null };
  const steps = rewriteSegment(context, entry, replacement);
  let put = 40;
  const runWithChanges = () => {
    while (!steps.next().done) {
      if (countChanged.get()?.posts !== 0) continue;
      archive.put(...unnumbered(put, put + 501));
      put += 501;
    }
  };
  expect(runWithChanges).toThrow(
    expect.objectContaining({ code: "segment_busy", retryable: true }),
  );
  changes.close();
  expect(entryOfX()).toMatchObject({ sequence: entry.sequence, rewriting: false });
  expect(readdirSync(archive.folder).toSorted()).toEqual(files);
  const secondReport = runSteps(rewriteSegment(context, entryOfX(), replacement));
  expect(secondReport).toEqual({ isDone: true, posts: put, dropped: 0 });
});
