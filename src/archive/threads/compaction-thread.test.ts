import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { until } from "../../../testkit/until.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Archive } from "../archive.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import { openArchive } from "./open.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-compaction-thread-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const open = (compaction: "on" | "off" = "on"): Promise<Archive> =>
  openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 100,
    detectLanguage: "off",
    compaction,
    clock: systemClock,
  });

function outdate(): void {
  const catalog = openCatalog(join(dataDir, "archive"));
  changeCatalog(catalog, "UPDATE segment SET analyzer = '1 15.0'");
  catalog.close();
}

const put = (archive: Archive, from: number, to: number) =>
  archive.write({
    changes: Array.from({ length: to - from }, (_, n) => ({
      kind: "upsert" as const,
      post: makePost({ key: `k${from + n}`, createdMs: Date.UTC(2026, 0, 1) + (from + n) * 1_000 }),
    })),
  });

const countPosts = async (archive: Archive): Promise<number> => {
  const { segments } = await archive.stats();
  return segments.reduce((sum, { posts }) => sum + posts, 0);
};

test("compaction rebuilds terms while the archive is being written to and read", async () => {
  const first = await open("off");
  await put(first, 0, 250);
  expect(await first.compactionState()).toBeNull();
  await first.close();
  outdate();

  const archive = await open();
  await archive.compactionState();
  let nextKey = 250;
  await until("all terms are of the current analyzer", async () => {
    await put(archive, nextKey, nextKey + 5);
    nextKey += 5;
    const { segments } = await archive.stats();
    return segments.every(({ current }) => current) ? true : null;
  });
  expect(await countPosts(archive)).toBe(nextKey);
  const state = await archive.compactionState();
  expect(state).toMatchObject({ error: null });
  expect(state?.done.reindex).toBeGreaterThanOrEqual(2);
  await archive.close();
});

test("a second process runs no compaction until the first one ends", async () => {
  const first = await open();
  const second = await open();
  await until("one process runs compaction", async () => {
    const states = [await first.compactionState(), await second.compactionState()].map(
      (state) => state?.status,
    );
    return states.includes("other-process") && states.some((status) => status !== "other-process")
      ? true
      : null;
  });
  await first.close();
  await until("the other process runs compaction", async () =>
    (await second.compactionState())?.status === "other-process" ? null : true,
  );
  await second.close();
});

test("closing the archive during a rewrite loses no post, and leaves no segment marked as being rewritten", async () => {
  const first = await open("off");
  await put(first, 0, 2_000);
  await first.close();
  outdate();
  const archive = await open();
  await archive.compactionState();
  await until(
    "a rewrite is under way",
    async () => (await archive.compactionState())?.doing ?? null,
  );
  await archive.close();
  const reopenedArchive = await open("off");
  expect(await countPosts(reopenedArchive)).toBe(2_000);
  await reopenedArchive.close();
  const catalog = openCatalog(join(dataDir, "archive"));
  expect(catalog.prepare("SELECT * FROM segment WHERE rewriting = 1").all()).toEqual([]);
  catalog.close();
});
