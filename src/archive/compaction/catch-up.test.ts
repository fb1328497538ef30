import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { readSegments } from "../catalog/catalog.ts";
import { archiveDefaults } from "../settings.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { copySegment } from "./copy-segment.ts";
import { replaceSegment } from "./replace-segment.ts";
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

const unnumbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) =>
    makePost({
      platform: "x",
      uri: `import:x:${from + n}`,
      createdMs: Date.UTC(2026, 0, 1) + (from + n) * 1_000,
      text: `river ${from + n}`,
    }),
  );

test("reads ingest numbers only for moved posts, however many posts have arrived", () => {
  archive.put(...unnumbered(0, 40));
  const [entry] = readSegments(context.catalog).filter(({ platform }) => platform === "x");
  if (entry === undefined) throw new Error("a segment of X");
  const { positions } = archive.search({ plan: { kind: "all" }, platforms: ["x"], limit: 2 });
  let cached: unknown[] = [];
  const steps = replaceSegment(context, entry, {
    cuts: [],
    keeps: null,
    terms: "any",
    *fill(followed, { ingestOrderFrom }) {
      yield* copySegment(followed, ingestOrderFrom);
      for (const { copy } of followed.parts) {
        yield* copy.complete();
        cached = vi.spyOn(copy.ingestOrder, "setNumbers").mock.calls;
      }
      archive.put(...unnumbered(40, 340));
      const natives = positions.map(({ id }) =>
        makePost({ platform: "x", nativeId: id, userId: null, username: "jack", text: "late" }),
      );
      archive.put(...natives);
    },
  });
  expect(runSteps(steps)).toMatchObject({ isDone: true, posts: 342 });
  expect(cached.length).toBeGreaterThan(0);
  expect(cached.length).toBeLessThanOrEqual(4);
});
