import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "../../db/connection.ts";
import { folderError } from "../../db/folder-errors.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { platforms } from "../../posts/post.ts";
import {
  catalogPath,
  currentAnalyzer,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { catalogProblem } from "../catalog/require-current-catalog.ts";
import { openForReading } from "../database.ts";
import { damageMarkerPath, isMarkedDamaged } from "../segments/integrity.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { findCatalogErrors } from "./check-catalog.ts";
import { checkFile, checkTableChecksums } from "./check-file.ts";
import { compareIndex, indexErrorReporter, sampleIndex } from "./check-index.ts";
import { checkIndexedPosts } from "./check-indexed-posts.ts";
import { type CheckedSegment, checkRows } from "./check-rows.ts";
import { checkDuplicateUris } from "./check-uris.ts";
import { collectFindings, type Finding, type Findings } from "./findings.ts";
import { reporter } from "./index-findings.ts";
import { onPairedSnapshot } from "./paired-snapshot.ts";
import { readSealedDocNumbers } from "./sealed-doc-numbers.ts";
import { walkSealedTerms } from "./sealed-terms.ts";
import { tryReading, tryReadingInSteps } from "./try-reading.ts";

export type CheckRequest = {
  folder: string;
  isFull: boolean;
  sampleRows: number;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
};

export type CheckReport = {
  segments: number;
  posts: number;
  indexed: number;
  /** Segments with another analyzer, whose indexes are not compared. */
  outdated: readonly string[];
  findings: readonly Finding[];
  findingCount: number;
};

const maxReported = 20;

/**
 * Compares redundant data: files with checksums, the catalog with segments, and rows with lists and
 * indexes. Neither writes nor blocks writers. Errors: `archive_busy`, `not_writable`.
 */
export async function check(request: CheckRequest): Promise<CheckReport> {
  const { folder, onProgress, signal } = request;
  const findings = collectFindings(maxReported);
  const totals = { segments: 0, posts: 0, indexed: 0, outdated: [] as string[] };
  const unreadableKeys = new Set<string>();
  checkCatalogIsCurrent(folder, findings);
  const catalog = openCatalogForCheck(folder, findings);
  const report = () => ({ ...totals, findings: findings.list(), findingCount: findings.count() });
  if (catalog === null) return report();
  try {
    findCatalogErrors(folder, catalog, request.isFull, findings);
    const entries = segmentsIn(catalog);
    if (entries === null) return report();
    const total = countRecordedPosts(folder, entries);
    const run = (steps: Generator<number, void>): Promise<void> =>
      runInSteps(steps, signal, (rows) => {
        totals.posts += rows;
        onProgress(totals.posts, Math.max(total, totals.posts));
      });

    const checkedKeys = new Set<string>();
    for (
      let next = nextUnchecked(catalog, checkedKeys);
      next !== null;
      next = nextUnchecked(catalog, checkedKeys)
    ) {
      const key = segmentKey(next);
      checkedKeys.add(key);
      const isSameSegment = (entry: SegmentEntry): boolean => segmentKey(entry) === key;
      try {
        await run(
          onPairedSnapshot(folder, isSameSegment, function* ({ catalog: pairedCatalog, segments }) {
            for (const segment of segments) {
              yield* checkSegment({ ...segment, catalog: pairedCatalog }, request, {
                findings,
                totals,
                unreadableKeys,
              });
            }
          }),
        );
      } catch (error) {
        if (error instanceof EarshotError || signal.aborted) throw error;
        unreadableKeys.add(key);
        const message = `${segmentPath("", next)}: ${errorMessage(error)}`;
        const { platform } = next;
        findings.add({ kind: "file_damaged", message, segment: key, platform });
      }
    }
    for (const platform of platforms) {
      const isReadable = (entry: SegmentEntry): boolean =>
        entry.platform === platform && !unreadableKeys.has(segmentKey(entry));
      await run(
        onPairedSnapshot(folder, isReadable, function* ({ segments }) {
          yield* checkDuplicateUris(platform, segments, findings);
        }),
      );
    }
  } finally {
    catalog.close();
  }
  return report();
}

/** Missing segments and an unreadable catalog are reported later. */
function checkCatalogIsCurrent(folder: string, findings: Findings): void {
  if (!existsSync(catalogPath(folder))) return;
  try {
    const problem = catalogProblem(folder);
    if (problem === null || problem.code === "segment_missing") return;
    findings.add({ kind: "catalog_not_current", message: problem.message });
  } catch {
    // Reported later.
  }
}

function openCatalogForCheck(folder: string, findings: Findings): DatabaseSync | null {
  let catalog: DatabaseSync | null = null;
  try {
    catalog = openForReading(catalogPath(folder), 1_000);
    schemaVersion(catalog);
    return catalog;
  } catch (error) {
    catalog?.close();
    const problem = folderError(error, folder);
    if (problem instanceof EarshotError && !catalogErrors.has(problem.code)) throw problem;
    const kind = existsSync(catalogPath(folder)) ? "file_damaged" : "file_missing";
    findings.add({ kind, message: `catalog.db: ${errorMessage(error)}` });
    return null;
  }
}

const catalogErrors = new Set(["archive_damaged", "file_missing"]);

function segmentsIn(catalog: DatabaseSync): SegmentEntry[] | null {
  try {
    return readSegments(catalog);
  } catch {
    return null;
  }
}

const segmentKey = ({ platform, sequence }: SegmentEntry): string => `${platform}/${sequence}`;

function nextUnchecked(
  catalog: DatabaseSync,
  checkedKeys: ReadonlySet<string>,
): SegmentEntry | null {
  return readSegments(catalog).find((entry) => !checkedKeys.has(segmentKey(entry))) ?? null;
}

type CheckProgress = {
  findings: Findings;
  totals: { segments: number; indexed: number; outdated: string[] };
  unreadableKeys: Set<string>;
};

function* checkSegment(
  segment: CheckedSegment,
  { folder, isFull, sampleRows }: CheckRequest,
  { findings, totals, unreadableKeys }: CheckProgress,
): Generator<number, void> {
  const { entry, database } = segment;
  const key = segmentKey(entry);
  const subject = { segment: key, platform: entry.platform };
  totals.segments += 1;
  const onDamage = (message: string): void =>
    findings.add({
      kind: "file_damaged",
      message: `${segmentPath("", entry)}: ${message}`,
      ...subject,
    });
  const version = schemaVersion(database);
  if (version !== segmentMigrations.length) {
    const message = `segment ${key} has schema ${version}, not ${segmentMigrations.length}`;
    findings.add({ kind: "schema_differs", message, ...subject });
    unreadableKeys.add(key);
    return;
  }
  checkFile(database, isFull, onDamage);
  yield 0;
  const report = reporter(entry, findings);
  if (isMarkedDamaged(segmentPath(folder, entry))) {
    const marker = damageMarkerPath(segmentPath("", entry));
    report("sealed_damaged", null, `${marker} marks it as damaged, so it is searched post by post`);
  }
  yield* tryReadingInSteps("its tables", () => checkTableChecksums(database, report), onDamage);
  const sealed = tryReading(
    "its sealed index",
    () => readSealedDocNumbers(database, indexErrorReporter(report)) ?? "none",
    onDamage,
  );
  if (sealed === null || sealed === "unreadable") {
    yield* checkRows(segment, findings, () => {});
    return;
  }
  const docNumbers = sealed === "none" ? null : sealed;
  yield* tryReadingInSteps(
    "its list of indexed posts",
    () => checkIndexedPosts(database, docNumbers, report),
    onDamage,
  );
  if (entry.analyzer !== currentAnalyzer) {
    totals.outdated.push(key);
    if (docNumbers !== null) {
      yield* walkSealedTerms(database, docNumbers.posts, indexErrorReporter(report), () => {});
    }
    yield* checkRows(segment, findings, () => {});
    return;
  }
  const indexedSegment = { ...segment, sealed: docNumbers };
  const indexCheck = isFull
    ? compareIndex(indexedSegment, report)
    : sampleIndex(indexedSegment, postsIn(database), sampleRows, report);
  yield* checkRows(segment, findings, (row) => indexCheck.add(row));
  yield* tryReadingInSteps("its index", () => indexCheck.end(), onDamage);
  totals.indexed += indexCheck.comparedCount();
}

const postsIn = (database: DatabaseSync): number =>
  Number(database.prepare("SELECT value FROM setting WHERE name = 'posts'").get()?.value ?? 0);

function countRecordedPosts(folder: string, entries: readonly SegmentEntry[]): number {
  return entries.reduce((sum, entry) => {
    try {
      const database = openForReading(segmentPath(folder, entry), 100);
      const posts = database.prepare("SELECT value FROM setting WHERE name = 'posts'").get()?.value;
      database.close();
      return sum + Number(posts ?? 0);
    } catch {
      return sum;
    }
  }, 0);
}

async function runInSteps(
  steps: Generator<number, void>,
  signal: AbortSignal,
  onStep: (rows: number) => void,
): Promise<void> {
  try {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      onStep(step.value);
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  } finally {
    steps.return();
  }
}
