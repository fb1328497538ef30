import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { writerOn } from "../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import { currentAnalyzer } from "../../archive/catalog/catalog.ts";
import { lockCompaction } from "../../archive/compaction/lock.ts";
import { sealPending } from "../../archive/maintenance/seal-pending.ts";
import { markDamaged } from "../../archive/segments/integrity.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import { systemClock } from "../../lib/clock.ts";

let dataDir = "";

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-seal-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const earshot = (args: readonly string[], environment = {}): Promise<Outcome> =>
  runCommand(args, {
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_READERS: "1",
    EARSHOT_DETECT_LANGUAGE: "off",
    EARSHOT_SEGMENT_POSTS: "5",
    EARSHOT_SEAL_POSTS: "2",
    ...environment,
  });

const formatTime = (n: number): string => `2026-01-01T00:${String(10 + n)}:00Z`;

function writePosts(count: number): void {
  const writer = writerOn(dataDir, 5);
  writer.write(
    Array.from({ length: count }, (_, n) => ({
      kind: "upsert",
      post: makePost({
        platform: "mastodon",
        uri: `https://example.social/${n}`,
        createdMs: Date.parse(formatTime(n)),
        text: `river ${n}`,
      }),
    })),
  );
  writer.close();
}

function importPosts(count: number, environment = {}, ...options: string[]): Promise<Outcome> {
  const file = join(dataDir, "posts.ndjson");
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ author: "ann", created_at: formatTime(n), text: `river ${n}` }),
  );
  writeFileSync(file, lines.join("\n"));
  return earshot(["import", file, "--platform", "mastodon", ...options], environment);
}

type SealStatus = {
  platforms: { sealed: Record<string, number> }[];
  waiting_seals: number;
  segments: { sealed: { posts: number } | null }[];
};

async function sealStatus(): Promise<SealStatus> {
  const { out } = await earshot(["archive", "stats", "--json"]);
  return JSON.parse(out) as SealStatus;
}

const sealedPosts = async () =>
  (await sealStatus()).segments.map(({ sealed }) => sealed?.posts ?? null);

describe("import", () => {
  test("an import seals each segment once it is large enough", async () => {
    const { code, out } = await importPosts(12);
    expect(code).toBe(0);
    expect(out).toMatch(/^\S+: 12 imported, .* in \d+\.\d s\n$/);
    expect(await sealedPosts()).toEqual([12, null]);
    await importPosts(13);
    expect(await sealedPosts()).toEqual([12, null]);
    const secondImport = await importPosts(15, {}, "--json");
    const lines = secondImport.out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { imported: 2 },
      { sealed: { wanted: 1, by: "here", segments: 1, posts: 3, old_files_gone: true } },
    ]);
    expect(await sealedPosts()).toEqual([12, 3]);
  });

  test("an import leaves sealing to a running server, and skips the newest segment while posts arrive in it", async () => {
    const server = lockFolder(dataDir);
    mkdirSync(join(dataDir, "archive"));
    const compaction = lockCompaction(join(dataDir, "archive"));
    try {
      const { code, out } = await importPosts(12);
      expect(code).toBe(0);
      expect(out).toContain("queued: the running server will seal 2 segments");
    } finally {
      compaction?.release();
      server.release();
    }
    expect(await sealStatus()).toMatchObject({ waiting_seals: 2 });
    expect(await sealedPosts()).toEqual([null, null, null]);
  });

  test("an import seals nothing if sealing is disabled", async () => {
    const { out } = await importPosts(7, { EARSHOT_SEAL: "off" });
    expect(out).toMatch(/^\S+: 7 imported, .*\n$/);
    expect(await sealStatus()).toMatchObject({ waiting_seals: 0 });
  });

  test("an import succeeds with a note if segments cannot be sealed", async () => {
    writePosts(7);
    // Blocks the first segment's new file.
    mkdirSync(join(dataDir, "archive", "mastodon", "000003.db"));
    const { code, out, notes } = await importPosts(1);
    expect(code).toBe(0);
    expect(out).toMatch(/: 1 imported/);
    expect(notes).toMatch(
      /the import succeeded, but sealing failed: .* – retry with earshot archive seal\n$/,
    );
  });
});

describe("seal", () => {
  test("archive seal seals the segments that are large enough and reports them", async () => {
    writePosts(11);
    const { code, out } = await earshot(["archive", "seal"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^2 segments with 10 posts sealed in \d+\.\d s\n$/);
    expect(await sealedPosts()).toEqual([5, 5, null]);
    expect((await earshot(["archive", "seal"])).out).toMatch(/^nothing to do: no segment/);
    const stats = await earshot(["archive", "stats"]);
    expect(stats.out).toMatch(/^mastodon +11 .* 3 +2 +2026/m);
    expect(stats.out).toMatch(
      /^2 of 3 segments sealed: the indexes of 10 posts take \S+ k?B, and 0 posts were written to them since$/m,
    );
    const [platform] = (await sealStatus()).platforms;
    expect(platform?.sealed).toEqual({
      segments: 2,
      damaged_segments: 0,
      posts: 10,
      posts_written_since: 0,
      index_bytes: expect.any(Number),
    });
  });

  test("archive seal explains why a named segment cannot be sealed", async () => {
    writePosts(11);
    const sealFirst = () => earshot(["archive", "seal", "--segment", "mastodon/1"]);
    const catalog = new DatabaseSync(join(dataDir, "archive", "catalog.db"));
    catalog.exec("UPDATE segment SET analyzer = '1 15.0' WHERE sequence = 1");
    updateCatalogChecksums(catalog);
    const outdatedOutcome = await sealFirst();
    expect(outdatedOutcome.code).toBe(1);
    expect(outdatedOutcome.notes).toMatch(
      /mastodon\/1 cannot be sealed: its index was built by another analyzer – rebuild it with earshot archive reindex --segment mastodon\/1/,
    );
    catalog.exec(`UPDATE segment SET analyzer = '${currentAnalyzer}'`);
    updateCatalogChecksums(catalog);
    catalog.close();
    markDamaged(join(dataDir, "archive", "mastodon", "000001.db"));
    expect((await sealFirst()).notes).toContain(
      "its sealed index is damaged or has another format",
    );
    expect(await sealedPosts()).toEqual([null, null, null]);
  });

  test("archive seal seals a named segment of any size", async () => {
    writePosts(11);
    const { out } = await earshot(["archive", "seal", "--segment", "mastodon/3", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ wanted: 1, by: "here", segments: 1, posts: 1 });
    expect(await sealedPosts()).toEqual([null, null, 1]);
    const { code, notes } = await earshot(["archive", "seal", "--segment", "x/7"]);
    expect(code).toBe(2);
    expect(notes).toMatch(
      /segment x\/7 not found – use a name such as x\/3, from earshot archive stats --json/,
    );
  });

  test("archive seal does nothing if sealing is disabled", async () => {
    writePosts(6);
    const { out } = await earshot(["archive", "seal"], { EARSHOT_SEAL: "off" });
    expect(out).toBe("nothing to do: EARSHOT_SEAL is off\n");
    expect(await sealedPosts()).toEqual([null, null]);
  });

  test("archive seal queues the work while another process is running compaction", async () => {
    writePosts(6);
    const lock = lockCompaction(join(dataDir, "archive"));
    const { out } = await earshot(["archive", "seal"]);
    lock?.release();
    expect(out).toMatch(
      /^queued: the running server will seal 1 segment; earshot archive stats shows/,
    );
    expect(await sealStatus()).toMatchObject({ waiting_seals: 1 });
  });

  test("archive seal resumes after an interruption", async () => {
    writePosts(11);
    const stopController = new AbortController();
    const request = {
      folder: join(dataDir, "archive"),
      bounds: { ...archiveDefaults, sealPosts: 5 },
      clock: systemClock,
      selection: { platform: "all" },
      onProgress: (done: number) => {
        if (done > 5) stopController.abort(new Error("stopped"));
      },
      signal: stopController.signal,
    } as const;
    await expect(sealPending(request)).rejects.toThrow("stopped");
    expect(await sealedPosts()).toEqual([null, 5, null]);
    expect(await sealStatus()).toMatchObject({ waiting_seals: 1 });
    const { out } = await earshot(["archive", "seal"], { EARSHOT_SEAL_POSTS: "100" });
    expect(out).toMatch(/^1 segment with 5 posts sealed/);
  });
});
