import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sealAll } from "../../../testkit/archives/seal-all.ts";
import { storedPosts, wholeArchive, writerOn } from "../../../testkit/archives/whole-archive.ts";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { catalogPath, readCoverage, readSegments, segmentPath } from "../catalog/catalog.ts";
import { createCompaction } from "../compaction/compaction.ts";
import { compactionContext } from "../compaction/context.ts";
import { runSteps } from "../compaction/steps.ts";
import { openForReading } from "../database.ts";
import { archiveDefaults } from "../settings.ts";
import { check } from "./check.ts";
import { type RewriteOutcome, requestRewrites, rewritePending } from "./rewrite-pending.ts";

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const posts = 400;
let data = "";
const templates = {
  unsealed: mkdtempSync(join(tmpdir(), "earshot-salvage-")),
  sealed: mkdtempSync(join(tmpdir(), "earshot-salvage-")),
};
type Form = keyof typeof templates;
const forms = ["unsealed", "sealed"] as const satisfies readonly Form[];

/** Of one misplaced post, the key contains a time years before the post's. */
const makeKey = (n: number): string => (n === 300 ? "3jzfcijpj2z2a" : `key${n}`);

const makeUri = (n: number): string => `at://did:plc:author/app.bsky.feed.post/${makeKey(n)}`;

const formatText = (n: number): string =>
  `words of post ${n} ${"and many more ".repeat(n % 50 === 0 ? 900 : 40)}`;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-salvage-"));
  for (const form of forms) {
    const writer = writerOn(templates[form], 10_000);
    const platform = "bluesky";
    writer.write(
      Array.from({ length: posts }, (_, n) => ({
        kind: "upsert",
        post: makePost({
          key: makeKey(n),
          createdMs: startMs + n * minuteMs,
          text: formatText(n),
          revision: "r1",
        }),
      })),
      [],
      [
        {
          platform,
          collection: "posts",
          account: null,
          source: "import",
          fromMs: startMs,
          toMs: startMs + posts * minuteMs,
        },
      ],
    );
    if (form === "sealed") sealAll(join(templates[form], "archive"));
    writer.write([
      { kind: "delete", platform, uri: makeUri(17), revision: "r2" },
      {
        kind: "label",
        platform,
        subject: makeUri(23),
        source: "did:plc:labeler",
        value: "!hide",
        negated: false,
        createdMs: 1,
        expiresMs: null,
      },
    ]);
    writer.close();
  }
});
afterAll(() => {
  for (const folder of [data, ...Object.values(templates)]) {
    rmSync(folder, { recursive: true, force: true });
  }
});

const folder = (): string => join(data, "archive");
const signal = new AbortController().signal;
const onProgress = (): void => {};

const takeCopy = (form: Form): void => {
  rmSync(data, { recursive: true, force: true });
  cpSync(templates[form], data, { recursive: true });
};

function segmentName(): string {
  const catalog = openForReading(catalogPath(folder()), 100);
  const [entry] = readSegments(catalog);
  catalog.close();
  return `${entry?.platform}/${entry?.sequence}`;
}

function pathToSegment(): string {
  const [platform = "", sequence] = segmentName().split("/");
  return segmentPath(folder(), { platform, sequence: Number(sequence) });
}

async function runSalvage(): Promise<RewriteOutcome> {
  await requestRewrites(folder(), { segment: segmentName() }, signal);
  const bounds = archiveDefaults;
  return rewritePending({ folder: folder(), bounds, clock: systemClock, onProgress, signal });
}

const runCheck = () => check({ folder: folder(), isFull: true, sampleRows: 1, onProgress, signal });

function zeroPage(page: number, pageBytes: number): void {
  const file = openSync(pathToSegment(), "r+");
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
}

const makePages = (table: string): { pageBytes: number; pages: readonly number[] } => {
  const { pageBytes, tables } = pageMap(pathToSegment());
  return { pageBytes, pages: tables.find((other) => other.table === table)?.pages ?? [] };
};

/** The first byte distinguishes interior pages from leaves. */
function isInterior(page: number, pageBytes: number): boolean {
  return readFileSync(pathToSegment())[(page - 1) * pageBytes] === 0x05;
}

function gaps(): { fromMs: number; toMs: number }[] {
  const catalog = openForReading(catalogPath(folder()), 100);
  const intervals = readCoverage(catalog).flatMap((coverage) => coverage.intervals);
  catalog.close();
  return intervals
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .flatMap(({ toMs }, index, all) => {
      const next = all[index + 1];
      return next === undefined ? [] : [{ fromMs: toMs, toMs: next.fromMs }];
    });
}

const contents = (): string[] =>
  wholeArchive(folder()).map(({ row, hidden }) => `${row.id} ${row.sum} ${hidden}`);

const hiddenPosts = (): string[] =>
  storedPosts(folder())
    .filter(({ hidden }) => hidden)
    .map(({ post }) => post.uri);

describe.for(forms)("a damaged segment that is %s", (form) => {
  beforeEach(() => takeCopy(form));

  test("a damaged segment loses no post if only an interior page of the post table is zeroed", async () => {
    const before = contents();
    const { pageBytes, pages } = makePages("post");
    const interior = pages.find((page) => isInterior(page, pageBytes));
    expect(interior).toBeDefined();
    zeroPage(interior ?? 0, pageBytes);
    const outcome = await runSalvage();
    expect(outcome.salvaged).toMatchObject([{ posts: posts - 1, lost: null }]);
    expect(contents()).toEqual(before);
    expect((await runCheck()).findings).toEqual([]);
    expect(gaps()).toEqual([]);
  });

  test("a damaged segment loses the posts of a zeroed leaf, lists them, and reports a coverage gap", async () => {
    const before = wholeArchive(folder());
    const { pageBytes, pages } = makePages("post");
    const leaves = pages.filter((page) => !isInterior(page, pageBytes));
    zeroPage(leaves[Math.floor(leaves.length / 2)] ?? 0, pageBytes);
    const damagedName = segmentName().replace("/", "-");
    const outcome = await runSalvage();
    const [{ lost } = { lost: null }] = outcome.salvaged;
    const after = wholeArchive(folder());
    expect(lost?.count).toBe(before.length - after.length);
    expect(lost?.count).toBeGreaterThan(0);
    const remainingIds = new Set(after.map(({ row }) => row.id));
    const removedIds = before
      .filter(({ row }) => !remainingIds.has(row.id))
      .map(({ row }) => row.id);
    expect(lost?.posts.map(({ id }) => id)).toEqual(removedIds);
    const list = readFileSync(lost?.listPath ?? "", "utf8");
    expect(list.trim().split("\n")).toEqual(removedIds.map(String));
    expect(gaps().length).toBeGreaterThan(0);
    for (const { row } of before.filter(({ row }) => removedIds.includes(row.id))) {
      const timeMs = Number(row.time_ms);
      expect(gaps().some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs < toMs)).toBe(true);
    }
    expect((await runCheck()).findings).toEqual([]);
    const number = damagedName.replace(/\d+$/, (digits) => digits.padStart(6, "0"));
    expect(existsSync(join(folder(), "orphaned", `${number}-1.db`))).toBe(true);
  });

  test("a damaged segment loses only the row that does not match its checksum, and lists its uri", async () => {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(pathToSegment());
    database.exec(
      `UPDATE post SET time_ms = time_ms + 1 WHERE id = (SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 40)`,
    );
    database.close();
    const [{ lost } = { lost: null }] = (await runSalvage()).salvaged;
    expect(lost).toMatchObject({ count: 1, posts: [{ uri: makeUri(41) }] });
    expect((await runCheck()).findings).toEqual([]);
  });

  test.for([
    "uri",
    "hidden",
    "ingest_order",
    "arrival_number",
    "changed",
    "term_idx",
    "term_data",
    "term_docsize",
    "setting",
  ])(
    "a damaged segment loses no post, and hides the same posts, if all of %s is zeroed",
    async (table) => {
      const before = contents();
      const { pageBytes, pages } = makePages(table);
      for (const page of pages) zeroPage(page, pageBytes);
      await runSalvage();
      expect(contents()).toEqual(before);
      expect(hiddenPosts()).toEqual([makeUri(23)]);
      expect((await runCheck()).findings).toEqual([]);
      expect(gaps()).toEqual([]);
    },
  );

  test("a damaged segment is rebuilt from its leaves if its first page is zeroed", async () => {
    const before = contents();
    const { pageBytes } = makePages("post");
    zeroPage(1, pageBytes);
    await runSalvage();
    expect(contents()).toEqual(before);
    expect((await runCheck()).findings).toEqual([]);
  });
});

test("compaction salvages a damaged segment whose rewrite was requested", async () => {
  takeCopy("unsealed");
  const before = contents();
  const { pageBytes } = makePages("post");
  zeroPage(1, pageBytes);
  await requestRewrites(folder(), { segment: segmentName() }, signal);
  const context = compactionContext(folder(), archiveDefaults, systemClock);
  const compaction = createCompaction(context);
  while (runSteps(compaction.runNext()));
  context.catalog.close();
  expect(compaction.state()).toMatchObject({ error: null, done: { reindex: 1 } });
  expect(contents()).toEqual(before);
});

test("salvaging an intact segment rebuilds it without setting its old file aside", async () => {
  takeCopy("sealed");
  const before = contents();
  expect(await runSalvage()).toMatchObject({ segments: 1, salvaged: [] });
  expect(contents()).toEqual(before);
  expect(existsSync(join(folder(), "orphaned"))).toBe(false);
});
