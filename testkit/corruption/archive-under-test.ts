import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { Archive, ArchiveChange } from "../../src/archive/archive.ts";
import {
  catalogPath,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { compactionContext } from "../../src/archive/compaction/context.ts";
import { removeRetiredFiles } from "../../src/archive/compaction/retire.ts";
import { sealSegment } from "../../src/archive/compaction/seal-segment.ts";
import { runSteps } from "../../src/archive/compaction/steps.ts";
import { openForReading } from "../../src/archive/database.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import { openArchive } from "../../src/archive/threads/open.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Platform } from "../../src/posts/post.ts";
import { changeCatalog } from "../archives/change-catalog.ts";
import {
  authors,
  firstMs,
  stepMs,
  syntheticAccount,
  syntheticPost,
  syntheticUri,
} from "./synthetic-posts.ts";

export const coveredFromMs = firstMs - 86_400_000;
export const coveredToMs = firstMs + 10 * 86_400_000;

const postCounts = { bluesky: 1_550, x: 640, mastodon: 180 };
const segmentPosts = 400;

/** Damage affects these kinds differently. */
type FileKind = "catalog" | "unsealed" | "sealed" | "delta";

export type ArchiveFile = {
  kind: FileKind;
  path: string;
  platform: Platform | null;
  low: bigint;
  high: bigint;
};

export type ArchiveUnderTest = {
  dataDir: string;
  olderDir: string;
  oldestDir: string;
  files: readonly ArchiveFile[];
};

export const openForTrial = (
  dataDir: string,
  onWarning: (message: string) => void = () => {},
): Promise<Archive> =>
  openArchive({
    dataDir,
    readers: 1,
    segmentPosts,
    detectLanguage: "off",
    clock: systemClock,
    onWarning,
  });

/** Sealed segments (one with a delta) and unsealed ones; deleted, edited and hidden posts. */
export async function makeArchiveUnderTest(root: string): Promise<ArchiveUnderTest> {
  const dataDir = join(root, "data");
  const olderDir = join(root, "older");
  const oldestDir = join(root, "oldest");
  fixUriKey(join(dataDir, "archive"));
  await withArchive(dataDir, async (archive) => {
    for (const platform of ["bluesky", "x", "mastodon"] as const) await fill(archive, platform);
  });
  cpSync(dataDir, oldestDir, { recursive: true });
  seal(join(dataDir, "archive"));
  cpSync(dataDir, olderDir, { recursive: true });
  await withArchive(dataDir, changePosts);
  return { dataDir, olderDir, oldestDir, files: listFiles(dataDir) };
}

/** The IDs of posts depend on this key. */
function fixUriKey(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const catalog = openCatalog(folder);
  changeCatalog(catalog, "UPDATE setting SET value = 'corruption' WHERE name = 'uri_key'");
  catalog.close();
}

async function withArchive(
  dataDir: string,
  write: (archive: Archive) => Promise<unknown>,
): Promise<void> {
  const archive = await openForTrial(dataDir);
  await write(archive);
  await archive.close();
}

async function fill(archive: Archive, platform: keyof typeof postCounts): Promise<void> {
  const handles = authors.map(
    (author): ArchiveChange => ({
      kind: "handle",
      platform,
      userId: syntheticAccount(platform, author),
      handle: `${author}.example`,
      observedMs: firstMs,
    }),
  );
  const coverage = (["posts", "likes", "reposts", "labels"] as const).map((collection) => ({
    platform,
    collection,
    account: null,
    source: "import",
    fromMs: coveredFromMs,
    toMs: coveredToMs,
  }));
  await archive.write({ changes: handles, coverage });
  for (let start = 0; start < postCounts[platform]; start += 100) {
    const count = Math.min(100, postCounts[platform] - start);
    await archive.write({
      changes: Array.from({ length: count }, (_, n) => ({
        kind: "upsert",
        post: syntheticPost(platform, start + n),
      })),
    });
  }
}

function seal(folder: string): void {
  const context = compactionContext(folder, archiveDefaults, { now: () => firstMs });
  const entries = readSegments(context.catalog);
  const entriesToSeal = [
    ...entries.filter(({ platform }) => platform === "bluesky").slice(0, 2),
    ...entries.filter(({ platform }) => platform === "x").slice(0, 1),
  ];
  for (const entry of entriesToSeal) runSteps(sealSegment(context, entry));
  runSteps(removeRetiredFiles(context, firstMs + 1));
  context.catalog.close();
}

async function changePosts(archive: Archive): Promise<void> {
  const platform = "bluesky";
  const changes: ArchiveChange[] = [];
  for (let n = segmentPosts; n < postCounts.bluesky; n += 9) {
    const uri = syntheticUri(platform, n);
    if (n % 4 === 0) changes.push({ kind: "delete", platform, uri, revision: "r9" });
    else if (n % 4 === 1) changes.push(hideLabel(uri));
    else changes.push({ kind: "upsert", post: syntheticPost(platform, n, 1) });
  }
  const userId = syntheticAccount("bluesky", "ann");
  changes.push({
    kind: "handle",
    platform,
    userId,
    handle: "latest.example",
    observedMs: coveredToMs,
  });
  for (let start = 0; start < changes.length; start += changesPerBatch) {
    await archive.write({ changes: changes.slice(start, start + changesPerBatch) });
  }
}

/** Batches are so small that the catalog is several commits ahead of its copy. */
const changesPerBatch = 25;

const hideLabel = (uri: string): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject: uri,
  source: "did:plc:labeler",
  value: "!hide",
  negated: false,
  createdMs: firstMs,
  expiresMs: null,
});

function listFiles(dataDir: string): ArchiveFile[] {
  const folder = join(dataDir, "archive");
  const catalog = openForReading(catalogPath(folder), 1_000);
  const entries = readSegments(catalog);
  catalog.close();
  const relativePath = (path: string): string => relative(dataDir, path);
  return [
    { kind: "catalog", path: relativePath(catalogPath(folder)), platform: null, low: 0n, high: 0n },
    ...entries.map((entry) => ({
      kind: readKind(folder, entry),
      path: relativePath(segmentPath(folder, entry)),
      platform: entry.platform,
      low: entry.low,
      high: entry.high,
    })),
  ];
}

function readKind(folder: string, entry: SegmentEntry): FileKind {
  const segment = openForReading(segmentPath(folder, entry), 1_000);
  const isSealed = segment.prepare("SELECT 1 FROM sealed").get() !== undefined;
  const hasDelta = segment.prepare("SELECT 1 FROM term_docsize LIMIT 1").get() !== undefined;
  segment.close();
  if (!isSealed) return "unsealed";
  return hasDelta ? "delta" : "sealed";
}

export function copyForTrial(dataDir: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(dataDir, target, { recursive: true });
}

export const postTime = (n: number): number => firstMs + n * stepMs;
