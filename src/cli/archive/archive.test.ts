import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { sealAll } from "../../../testkit/archives/seal-all.ts";
import { storedPosts, writerOn } from "../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import { lockCompaction } from "../../archive/compaction/lock.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import { parseXId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";

let dataDir = "";

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-archive-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const earshot = (args: readonly string[], environment = {}): Promise<Outcome> =>
  runCommand(args, { EARSHOT_DATA_DIR: dataDir, EARSHOT_SEGMENT_POSTS: "5", ...environment });

const ann = "did:plc:ann";
const makeUri = (did: string, n: number): string => `at://${did}/app.bsky.feed.post/key${n}`;

type Line = { uri: string; author: string; author_id?: string; created_at: string; text: string };

function line(n: number): Line {
  const isAnn = n % 2 === 0;
  const did = isAnn ? ann : "did:plc:bob";
  return {
    uri: makeUri(did, n),
    author: isAnn ? "ann.example" : "bob.example",
    author_id: did,
    created_at: `2026-01-01T00:${String(10 + n)}:00Z`,
    text: `${isAnn ? "zebrafish" : "walrus"} number${n}`,
  };
}

const posts = Array.from({ length: 12 }, (_, n) => line(n));

function importPosts(lines: readonly Line[] = posts, platform: Platform = "bluesky"): void {
  const writer = writerOn(dataDir, 5);
  writer.write(
    lines.map(({ uri, author, author_id, created_at, text }) => ({
      kind: "upsert",
      post: makePost({
        platform,
        uri,
        nativeId: platform === "x" ? parseXId(uri) : null,
        username: author,
        userId: author_id ?? null,
        createdMs: Date.parse(created_at),
        seenMs: null,
        text,
      }),
    })),
  );
  writer.close();
}

function deletePost(did: string, n: number): void {
  const writer = writerOn(dataDir, 5);
  writer.write([{ kind: "delete", platform: "bluesky", uri: makeUri(did, n), revision: "r1" }]);
  writer.close();
}

function urisContaining(word: string): string[] {
  return storedPosts(join(dataDir, "archive"))
    .filter(({ hidden, post }) => !hidden && post.text.includes(word))
    .map(({ post }) => post.uri)
    .sort();
}

async function json(args: readonly string[], environment = {}): Promise<Record<string, unknown>> {
  const { out } = await earshot([...args, "--json"], environment);
  return JSON.parse(out) as Record<string, unknown>;
}

function execInSegment(sequence: number, sql: string): void {
  const path = join(dataDir, "archive", "bluesky", `00000${sequence}.db`);
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe("usage errors", () => {
  test.for<[string[], RegExp]>([
    [["archive"], /archive stats, check, backup, restore, recover, forget, reindex or seal/],
    [["archive", "chekc"], /too many arguments/],
    [["archive", "backup"], /missing required argument 'folder'/],
    [["archive", "forget"], /use --author, --post or --query/],
    [["archive", "forget", "--author", "a", "--query", "b"], /use --author, --post or --query/],
    [["archive", "forget", "--query", "b", "--undo"], /--undo/],
    [["archive", "forget", "--query", "b", "--for-good"], /--for-good requires --author/],
    [
      ["archive", "forget", "--author", "a", "--for-good", "--allow-return"],
      /conflicts with --allow-return/,
    ],
    [["archive", "reindex", "--all", "--segment", "x/1"], /cannot be used with/],
  ])("earshot archive exits with code 2 for invalid arguments: %s", async ([args, message]) => {
    const { code, out, notes } = await earshot(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(notes).toMatch(message);
  });

  test.for(["stats", "check", "reindex", "seal"])(
    "earshot archive %s does not create an archive",
    async (command) => {
      const { code, notes } = await earshot(["archive", command]);
      expect(code).toBe(1);
      expect(notes).toMatch(/no archive in .* – create one with earshot import or earshot serve/);
      expect(readdirSync(dataDir)).toEqual([]);
    },
  );
});

describe("stats", () => {
  test("archive stats shows the contents of the archive", async () => {
    importPosts();
    const { code, out } = await earshot(["archive", "stats"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^PLATFORM +POSTS +IMPORTED .* FROM +TO$/m);
    expect(out).toMatch(/^bluesky +12 +12 +0 .* 3 +0 +2026-01-01 00:10 +2026-01-01 00:21$/m);
    expect(out).toContain("at most 20.0 GB");
    expect(out).toContain("no time is fully covered");
  });

  test("archive stats shows coverage and gaps", async () => {
    const writer = writerOn(dataDir, 5);
    const interval = {
      platform: "bluesky",
      collection: "posts",
      account: null,
      source: "import",
    } as const;
    writer.write(
      [],
      [],
      [
        { ...interval, fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 3) },
        { ...interval, fromMs: Date.UTC(2026, 0, 5), toMs: Date.UTC(2026, 0, 9) },
      ],
    );
    writer.close();
    const { out } = await earshot(["archive", "stats"]);
    expect(out).toMatch(/^bluesky posts +\S+$/m);
    expect(out).toContain("2026-01-03 00:00");
    const { coverage } = await json(["archive", "stats"]);
    expect(coverage).toMatchObject([
      {
        platform: "bluesky",
        collection: "posts",
        held: [
          { from: "2026-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z" },
          { to: "2026-01-09T00:00:00Z" },
        ],
        gaps: [{ from: null }, { from: "2026-01-03T00:00:00Z", to: "2026-01-05T00:00:00Z" }, {}],
      },
    ]);
  });

  test("archive stats prints all figures as JSON, even while a server is running", async () => {
    importPosts();
    const server = lockFolder(dataDir);
    const stats = await json(["archive", "stats"]);
    server.release();
    expect(stats).toMatchObject({
      platforms: [
        {
          platform: "bluesky",
          posts: 12,
          imported: 12,
          hidden: 0,
          segments: 3,
          outdated_segments: 0,
        },
      ],
      tombstones: 0,
      waiting_counts: 0,
      newest_arrival: 12,
      max_bytes: 20_000_000_000,
    });
    expect(stats.segments).toHaveLength(3);
  });
});

describe("check", () => {
  test("archive check exits with 0 for an intact archive", async () => {
    importPosts();
    const { code, out } = await earshot(["archive", "check"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^3 segments and 12 posts checked, 12 of them against the index: no findings, in [\d.]+ s\n$/,
    );
    expect(await json(["archive", "check", "--full"])).toMatchObject({ sound: true, findings: [] });
  });

  test("archive check exits with 1 for a damaged archive, and gives a hint for each finding", async () => {
    importPosts();
    execInSegment(2, "UPDATE setting SET value = 99 WHERE name = 'posts'");
    const { code, out, notes } = await earshot(["archive", "check"]);
    expect(code).toBe(1);
    expect(out).toContain(
      "segment bluesky/2: it records 99 posts, but contains 5\n  → earshot archive reindex --segment bluesky/2\n",
    );
    expect(notes).toBe(
      "earshot: the archive is inconsistent: 1 finding – apply the fix listed with each; see docs/operations.md\n",
    );
    const { sound, findings } = await json(["archive", "check"]);
    expect(sound).toBe(false);
    expect(findings).toMatchObject([{ kind: "number_differs", segment: "bluesky/2" }]);
  });

  test("archive reindex repairs the damage that archive check finds", async () => {
    importPosts();
    execInSegment(
      2,
      "UPDATE setting SET value = 99 WHERE name = 'posts'; DELETE FROM term WHERE rowid = (SELECT min(id) FROM post)",
    );
    expect((await earshot(["archive", "check"])).code).toBe(1);
    expect((await earshot(["archive", "reindex", "--segment", "bluesky/2"])).code).toBe(0);
    expect((await earshot(["archive", "check", "--full"])).code).toBe(0);
    expect(urisContaining("number")).toHaveLength(12);
  });
});

test("a backup can be restored and searched in another folder, but overwrites neither a backup nor an archive", async () => {
  importPosts();
  const backup = join(dataDir, "backup");
  const { code, out } = await earshot(["archive", "backup", backup]);
  expect(code).toBe(0);
  expect(out).toMatch(/12 posts as of .* in 4 files/);
  const before = urisContaining("number");
  const secondBackup = await earshot(["archive", "backup", backup]);
  expect(secondBackup).toMatchObject({ code: 1, out: "" });
  expect(secondBackup.notes).toMatch(/already contains a backup – use a new folder/);

  const secondRestore = await earshot(["archive", "restore", backup]);
  expect(secondRestore.code).toBe(1);
  expect(secondRestore.notes).toMatch(/archive already exists – move it away/);
  const other = join(dataDir, "other");
  const summary = await json(["archive", "restore", backup], { EARSHOT_DATA_DIR: other });
  expect(summary).toMatchObject({ posts: 12, files: 4 });
  const searchOutcome = await earshot(
    ["search", "number1 OR number2 OR number3 OR walrus OR zebrafish", "--ndjson"],
    {
      EARSHOT_DATA_DIR: other,
    },
  );
  expect(searchOutcome.out.trim().split("\n")).toHaveLength(before.length);
});

test("a backup seeds a node's archive once", async () => {
  importPosts();
  const backup = join(dataDir, "backup");
  await earshot(["archive", "backup", backup]);
  const environment = { EARSHOT_DATA_DIR: join(dataDir, "node"), EARSHOT_NODE_EVIDENCE: "none" };
  // After seeding, the node fails for lack of a gateway.
  const node = (folder: string) => earshot(["node", "--seed-from", folder], environment);
  const first = await node(backup);
  expect(first.out).toMatch(/^archive restored from .*backup: 12 posts as of /);
  expect(first).toMatchObject({ code: 2, notes: expect.stringContaining("--gateway URL") });
  const search = ["search", "walrus OR zebrafish", "--ndjson"];
  const results = await earshot(search, environment);
  expect(results.out.trim().split("\n")).toHaveLength(12);
  rmSync(backup, { recursive: true });
  expect(await node(backup)).toMatchObject({ code: 2, out: "" });
  const missingBackup = await earshot(["node", "--seed-from", backup], {
    ...environment,
    EARSHOT_DATA_DIR: join(dataDir, "other"),
  });
  expect(missingBackup).toMatchObject({ code: 1, notes: expect.stringContaining(backup) });
});

describe("forget", () => {
  function bytesContain(text: string): boolean {
    const names = readdirSync(join(dataDir, "archive"), { recursive: true, withFileTypes: true });
    return names.some(
      (file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes(text),
    );
  }

  test("archive forget only counts posts unless the deletion is confirmed", async () => {
    importPosts();
    const { code, out } = await earshot(["archive", "forget", "--author", "@Ann.example"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^6 posts of did:plc:ann \(bluesky\) would be deleted:\n/);
    expect(out).toMatch(/… and 1 more\nnothing was deleted; add --yes to delete them\n$/);
    expect(urisContaining("zebrafish")).toHaveLength(6);
  });

  test("archive forget removes an author's posts, including from disk, and rejects them in later imports", async () => {
    importPosts();
    expect(bytesContain("zebrafish")).toBe(true);
    const { code, out } = await earshot(["archive", "forget", "--author", "ann.example", "--yes"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^6 posts deleted, blocked from returning\ntheir texts are deleted from disk/,
    );
    expect(bytesContain("zebrafish")).toBe(false);
    importPosts([...posts, { ...line(0), text: "zebrafish edited" }]);
    expect(urisContaining("zebrafish")).toEqual([]);
    expect(urisContaining("walrus")).toHaveLength(6);
    expect((await earshot(["archive", "check", "--full"])).code).toBe(0);
  });

  test("archive forget removes the posts that a query finds, including hidden ones", async () => {
    importPosts();
    const writer = writerOn(dataDir, 5);
    writer.write([
      {
        kind: "label",
        platform: "bluesky",
        subject: makeUri(ann, 4),
        source: "did:plc:m",
        value: "!hide",
        negated: false,
        createdMs: 1,
        expiresMs: null,
      },
    ]);
    writer.close();
    expect(urisContaining("zebrafish")).toHaveLength(5);
    const query = [
      "archive",
      "forget",
      "--query",
      "zebrafish -number2 until:2026-01-01_00:19:00_UTC",
    ];
    expect(await json(query)).toEqual({ dry_run: true, account: null, posts: 4 });
    expect(await json([...query, "--yes"])).toMatchObject({ posts: 4, gone_from_disk: true });
    expect(urisContaining("zebrafish")).toEqual([makeUri(ann, 10), makeUri(ann, 2)]);
    expect(bytesContain("number4")).toBe(false);
  });

  test("archive forget removes posts by uri and by ID, and blocks those that are not archived yet", async () => {
    importPosts(posts.slice(0, 4));
    const { out } = await earshot(["search", "number3", "--ndjson"]);
    const { ID } = JSON.parse(out) as { ID: string };
    const names = [
      makeUri(ann, 0),
      ID,
      makeUri(ann, 6),
      "https://bsky.app/profile/ann.example/post/key8",
    ];
    const summary = await json(["archive", "forget", "--post", ...names, "--yes"]);
    expect(summary).toMatchObject({ posts: 2 });
    importPosts();
    const remainingUris = urisContaining("number").sort();
    const deletedUris = new Set([
      makeUri(ann, 0),
      makeUri("did:plc:bob", 3),
      makeUri(ann, 6),
      makeUri(ann, 8),
    ]);
    expect(remainingUris).toEqual(
      posts
        .map(({ uri }) => uri)
        .filter((uri) => !deletedUris.has(uri))
        .sort(),
    );
  });

  test("archive forget allows posts to return if requested, immediately or later", async () => {
    importPosts();
    await earshot(["archive", "forget", "--author", ann, "--allow-return", "--yes"]);
    expect(urisContaining("zebrafish")).toEqual([]);
    importPosts();
    expect(urisContaining("zebrafish")).toHaveLength(6);
    await earshot(["archive", "forget", "--author", ann, "--yes"]);
    await earshot(["archive", "forget", "--post", makeUri(ann, 2), "--undo"]);
    importPosts();
    expect(urisContaining("zebrafish")).toEqual([makeUri(ann, 2)]);
    const undoOutcome = await earshot(["archive", "forget", "--author", ann, "--undo"]);
    expect(undoOutcome.out).toBe(
      "did:plc:ann can return with the next replay, backfill or import: 5 posts\n",
    );
    importPosts();
    expect(urisContaining("zebrafish")).toHaveLength(6);
  });

  test("archive forget rejects an account's future posts until this is undone", async () => {
    importPosts();
    const { out } = await earshot([
      "archive",
      "forget",
      "--author",
      "ann.example",
      "--for-good",
      "--yes",
    ]);
    expect(out).toMatch(/^6 posts deleted, blocked from returning\n/);
    const later = { ...line(0), uri: makeUri(ann, 99), created_at: "2026-03-01T00:00:00Z" };
    importPosts([...posts, later]);
    const writer = writerOn(dataDir, 5);
    const update = { kind: "account", platform: "bluesky", userId: ann, status: "active" } as const;
    writer.write([{ ...update, observedMs: Date.UTC(2027, 0, 1) }]);
    writer.close();
    importPosts([later]);
    expect(urisContaining("zebrafish")).toEqual([]);
    await earshot(["archive", "forget", "--author", ann, "--undo"]);
    importPosts([...posts, later]);
    expect(urisContaining("zebrafish")).toHaveLength(7);
  });

  test("archive forget requires an account id if several accounts had the handle", async () => {
    importPosts([line(0), { ...line(1), author: "ann.example" }]);
    const { code, notes } = await earshot([
      "archive",
      "forget",
      "--author",
      "ann.example",
      "--yes",
    ]);
    expect(code).toBe(2);
    expect(notes).toMatch(
      /is or was the handle of did:plc:ann \(bluesky\), did:plc:bob \(bluesky\) – use the account id/,
    );
    const unknownAuthor = await earshot(["archive", "forget", "--author", "nobody.example"]);
    expect(unknownAuthor.notes).toMatch(/unknown account nobody\.example/);
  });

  test("archive forget removes posts whose author has only a handle, on one platform", async () => {
    const common = { author: "Ann", created_at: "2026-01-01T00:00:00Z" };
    importPosts(
      [{ ...common, uri: "https://x.com/i/status/2000000000000000001", text: "otter one" }],
      "x",
    );
    importPosts([{ ...common, uri: "https://m.example/@ann/1", text: "otter two" }], "mastodon");
    const forget = ["archive", "forget", "--author", "ann", "--platform", "x"];
    expect((await earshot([...forget, "--for-good"])).notes).toMatch(
      /knows only the handle of ann/,
    );
    expect(await json([...forget, "--yes"])).toMatchObject({ posts: 1 });
    expect(urisContaining("otter")).toEqual(["https://m.example/@ann/1"]);
  });

  test.for([
    ["unchanged since", () => {}],
    ["one post edited since", () => importPosts([{ ...line(0), text: "zebrafish edited" }])],
    ["one post deleted since", () => deletePost(ann, 2)],
  ] as const)(
    "archive forget removes posts from sealed segments and from disk: %s",
    async ([, change]) => {
      importPosts();
      sealAll(join(dataDir, "archive"));
      change();
      const archivedCount = urisContaining("zebrafish").length;
      expect(bytesContain("zebrafish")).toBe(true);
      const summary = await json(["archive", "forget", "--query", "zebrafish", "--yes"]);
      expect(summary).toMatchObject({ posts: archivedCount });
      expect(urisContaining("zebrafish")).toEqual([]);
      expect(bytesContain("zebrafish")).toBe(false);
      expect(urisContaining("walrus")).toHaveLength(6);
      expect((await earshot(["archive", "check", "--full"])).code).toBe(0);
    },
  );

  test("archive forget leaves the rewriting to the process that runs compaction, and reports this", async () => {
    importPosts();
    const lock = lockCompaction(join(dataDir, "archive"));
    const { out } = await earshot(["archive", "forget", "--author", ann, "--yes"]);
    expect(out).toMatch(/their texts are still on disk until the running server has rewritten/);
    expect(urisContaining("zebrafish")).toEqual([]);
    expect(await json(["archive", "stats"])).toMatchObject({ waiting_rewrites: 3 });
    lock?.release();
    await earshot(["archive", "reindex"]);
    expect(bytesContain("zebrafish")).toBe(false);
    expect(await json(["archive", "stats"])).toMatchObject({ waiting_rewrites: 0, old_files: 0 });
  });
});

describe("reindex", () => {
  const outdateSegments = (): void => {
    const catalog = new DatabaseSync(join(dataDir, "archive", "catalog.db"));
    catalog.exec("UPDATE segment SET analyzer = '0'");
    updateCatalogChecksums(catalog);
    catalog.close();
  };

  test("archive reindex rebuilds only segments that another analyzer built", async () => {
    importPosts();
    expect((await earshot(["archive", "reindex"])).out).toMatch(/^nothing to do/);
    outdateSegments();
    expect(await json(["archive", "stats"])).toMatchObject({
      platforms: [{ outdated_segments: 3 }],
    });
    const { out } = await earshot(["archive", "reindex"]);
    expect(out).toMatch(/^3 segments with 12 posts rewritten in [\d.]+ s\n$/);
    expect(await json(["archive", "stats"])).toMatchObject({
      platforms: [{ outdated_segments: 0 }],
    });
    expect(urisContaining("zebrafish")).toHaveLength(6);
  });

  test("archive reindex --all rebuilds every segment, and --segment rejects an unknown one", async () => {
    importPosts();
    expect(await json(["archive", "reindex", "--all"])).toMatchObject({
      by: "here",
      segments: 3,
      posts: 12,
      old_files_gone: true,
    });
    const { code, notes } = await earshot(["archive", "reindex", "--segment", "x/7"]);
    expect(code).toBe(2);
    expect(notes).toMatch(/segment x\/7 not found/);
  });

  test("archive reindex does not remove the old files while a server may read them", async () => {
    importPosts();
    const server = lockFolder(dataDir);
    expect(await json(["archive", "reindex", "--all"])).toMatchObject({
      by: "here",
      old_files_gone: false,
    });
    server.release();
    expect(await json(["archive", "stats"])).toMatchObject({ old_files: 3 });
  });

  test("archive reindex queues the work for a running server", async () => {
    importPosts();
    const lock = lockCompaction(join(dataDir, "archive"));
    expect((await earshot(["archive", "reindex"])).out).toMatch(/the running server reindexes/);
    expect((await earshot(["archive", "reindex", "--all"])).out).toMatch(
      /queued: the running server will rewrite 3 segments/,
    );
    lock?.release();
  });
});
