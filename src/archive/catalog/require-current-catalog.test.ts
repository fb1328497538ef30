import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findingsIn } from "../../../testkit/archives/findings-in.ts";
import { storedPosts, writerOn } from "../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { compactionContext } from "../compaction/context.ts";
import { cleanUpAfterCrash } from "../compaction/retire.ts";
import { rewriteSegment } from "../compaction/rewrite.ts";
import { runSteps } from "../compaction/steps.ts";
import { recover } from "../maintenance/recover/recover.ts";
import { archiveDefaults } from "../settings.ts";
import { openArchive } from "../threads/open.ts";
import { catalogPath } from "./catalog.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);

let dataDir: string;
let folder: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-current-"));
  folder = join(dataDir, "archive");
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function put(...days: number[]): void {
  const writer = writerOn(dataDir, 2);
  for (const day of days) {
    const createdMs = startMs + day * dayMs;
    writer.write([{ kind: "upsert", post: makePost({ key: `p${day}`, createdMs }) }]);
  }
  writer.close();
}

const segmentFiles = (): string[] => {
  const path = join(folder, "bluesky");
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".db")) : [];
};
const orphanedFiles = (): string[] => {
  const path = join(folder, "orphaned");
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".db")) : [];
};

function removeCatalog(): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(catalogPath(folder) + suffix, { force: true });
}

function saveCatalog(): () => void {
  const copy = join(dataDir, "catalog-copy.db");
  const catalog = new DatabaseSync(catalogPath(folder));
  catalog.prepare("VACUUM INTO ?").run(copy);
  catalog.close();
  return () => {
    removeCatalog();
    cpSync(copy, catalogPath(folder));
  };
}

async function rejectionCode(): Promise<string | null> {
  try {
    const settings = { dataDir, readers: 1, segmentPosts: 2, clock: systemClock };
    await (await openArchive(settings)).close();
    return null;
  } catch (error) {
    expect(error).toMatchObject({ hint: expect.stringMatching(/recover|restore a backup/) });
    return (error as { code: string }).code;
  }
}

function cleanUp(): void {
  const context = compactionContext(folder, archiveDefaults, systemClock);
  runSteps(cleanUpAfterCrash(context));
  context.catalog.close();
}

describe("a catalog that does not match its segments", () => {
  const corruptions: [string, string, () => void][] = [
    ["is missing", "catalog_missing", removeCatalog],
    ["is truncated to nothing", "catalog_missing", () => truncateSync(catalogPath(folder), 0)],
    [
      "is truncated in the middle",
      "archive_damaged",
      () => truncateSync(catalogPath(folder), 20_000),
    ],
    [
      "belongs to another archive",
      "catalog_foreign",
      () => {
        const otherDataDir = mkdtempSync(join(tmpdir(), "earshot-other-"));
        writerOn(otherDataDir, 2).close();
        removeCatalog();
        cpSync(catalogPath(join(otherDataDir, "archive")), catalogPath(folder));
        rmSync(otherDataDir, { recursive: true });
      },
    ],
  ];

  test.each(corruptions)(
    "a catalog that %s is rejected with %s, and no segment is removed",
    async (_, code, damage) => {
      put(1, 2, 3, 4, 5);
      expect(segmentFiles()).toHaveLength(3);
      damage();
      expect(await rejectionCode()).toBe(code);
      expect(await findingsIn(folder)).not.toEqual([]);
      expect(() => cleanUp()).toThrow();
      expect(segmentFiles()).toHaveLength(3);
    },
  );

  test("a catalog from several commits ago is rejected with catalog_older", async () => {
    put(1, 2, 3);
    const restoreCatalog = saveCatalog();
    put(4, 5, 6, 7);
    restoreCatalog();
    expect(await rejectionCode()).toBe("catalog_older");
    expect(await findingsIn(folder)).toMatchObject([{ kind: "catalog_not_current" }]);
    expect(() => cleanUp()).toThrow();
    expect(segmentFiles()).toHaveLength(4);
    expect(orphanedFiles()).toEqual([]);
  });

  test("a catalog that lacks only deletions and checkpoints is rejected if segments have been written since", async () => {
    put(1, 2, 3);
    const restoreCatalog = saveCatalog();
    const writer = writerOn(dataDir, 2);
    const { uri } = makePost({ key: "p3" });
    writer.write([{ kind: "delete", platform: "bluesky", uri: `${uri}-unknown`, revision: "2" }]);
    writer.write([], [{ name: "stream", value: "7" }]);
    writer.write([{ kind: "delete", platform: "bluesky", uri, revision: "3" }]);
    writer.close();
    restoreCatalog();
    expect(await rejectionCode()).toBe("catalog_older");
  });

  test("an earlier copy of a segment file is rejected with segment_older, until the catalog is rebuilt without the lost posts", async () => {
    put(1);
    const path = join(folder, "bluesky", "000001.db");
    const earlierCopy = join(dataDir, "earlier.db");
    cpSync(path, earlierCopy);
    put(2, 3);
    cpSync(earlierCopy, path);
    expect(await rejectionCode()).toBe("segment_older");
    expect(await findingsIn(folder)).not.toEqual([]);
    expect(() => cleanUp()).toThrow();
    expect(segmentFiles()).toHaveLength(2);
    await recover({
      dataDir,
      isForced: false,
      retainedIngestNumbers: archiveDefaults.retainedIngestNumbers,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(await rejectionCode()).toBeNull();
    expect(storedPosts(folder)).toHaveLength(2);
  });

  test("a segment that a crash left one commit ahead is accepted", async () => {
    put(1);
    const restoreCatalog = saveCatalog();
    put(2);
    restoreCatalog();
    expect(await rejectionCode()).toBeNull();
  });

  test("a missing or empty file of a listed segment is rejected with segment_missing", async () => {
    put(1, 2, 3);
    const path = join(folder, "bluesky", "000001.db");
    truncateSync(path, 0);
    expect(await rejectionCode()).toBe("segment_missing");
    rmSync(path);
    expect(await rejectionCode()).toBe("segment_missing");
    expect(existsSync(path)).toBe(false);
  });

  test("a missing archive is rejected with archive_missing, unless its ID file is removed", async () => {
    put(1);
    expect(await rejectionCode()).toBe(null);
    rmSync(folder, { recursive: true });
    expect(await rejectionCode()).toBe("archive_missing");
    rmSync(join(dataDir, "archive.id"));
    expect(await rejectionCode()).toBe(null);
  });

  test("a segment from another archive is rejected with catalog_foreign", async () => {
    put(1, 2, 3);
    const otherDataDir = mkdtempSync(join(tmpdir(), "earshot-other-"));
    const writer = writerOn(otherDataDir, 2);
    writer.write([{ kind: "upsert", post: makePost() }]);
    writer.close();
    cpSync(
      join(otherDataDir, "archive", "bluesky", "000001.db"),
      join(folder, "bluesky", "000009.db"),
    );
    rmSync(otherDataDir, { recursive: true });
    expect(await rejectionCode()).toBe("catalog_foreign");
  });
});

describe("after a crash", () => {
  test("an archive is accepted after a crash between the creation of segments and the catalog commit", async () => {
    put(1);
    const restoreCatalog = saveCatalog();
    const writer = writerOn(dataDir, 2);
    writer.write(
      [2, 3, 4, 5].map((day) => ({
        kind: "upsert",
        post: makePost({ key: `p${day}`, createdMs: startMs + day * dayMs }),
      })),
    );
    writer.close();
    const before = segmentFiles().length;
    restoreCatalog();
    expect(await rejectionCode()).toBe(null);
    cleanUp();
    expect(segmentFiles()).toEqual(["000001.db"]);
    expect(orphanedFiles()).toHaveLength(before - 1);
    put(2, 3, 4, 5);
    expect(storedPosts(folder)).toHaveLength(5);
  });

  test("an archive is accepted if the first batch after a crash reuses the number of an uncommitted segment", () => {
    put(1, 2);
    const restoreCatalog = saveCatalog();
    put(3);
    restoreCatalog();
    put(3, 4, 5);
    expect(storedPosts(folder)).toHaveLength(5);
    cleanUp();
    expect(storedPosts(folder)).toHaveLength(5);
  });

  test("an archive is accepted after a crash that left an unfinished or uncommitted copy of a segment", async () => {
    put(1, 2, 3);
    const context = compactionContext(folder, archiveDefaults, systemClock);
    const entry = { platform: "bluesky", sequence: 1, low: 0n } as const;
    const [first] = segmentFiles();
    expect(first).toBe("000001.db");
    const selectSequences = context.catalog.prepare(
      "SELECT sequence FROM segment ORDER BY sequence",
    );
    const { readSegments } = await import("./catalog.ts");
    const [segment] = readSegments(context.catalog).filter((other) => other.low === entry.low);
    if (segment === undefined) throw new Error("no segment");
    for (let steps = 1; steps < 40; steps += 1) {
      const work = rewriteSegment(context, segment, { cuts: [], shouldKeep: null });
      let done = false;
      for (let step = 0; step < steps && !done; step += 1) done = work.next().done === true;
      expect(await rejectionCode()).toBe(null);
      if (done) break;
      work.return({ isDone: false, posts: 0, dropped: 0 });
    }
    expect(selectSequences.all().map(({ sequence }) => sequence)).not.toContain(1);
    context.catalog.close();
    expect(await rejectionCode()).toBe(null);
    expect(storedPosts(folder)).toHaveLength(3);
  });
});
