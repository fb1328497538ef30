import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { seededRandom } from "../../bench/measure.ts";
import { check } from "../../src/archive/maintenance/check.ts";
import { recover } from "../../src/archive/maintenance/recover/recover.ts";
import { requestRewrites, rewritePending } from "../../src/archive/maintenance/rewrite-pending.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { errorMessage } from "../../src/lib/errors.ts";
import {
  type ArchiveFile,
  type ArchiveUnderTest,
  copyForTrial,
  openForTrial,
} from "./archive-under-test.ts";
import { type ComparedQuery, compareAll } from "./compare-all.ts";
import { type DamageKind, damageFile } from "./damage-file.ts";
import type { Answer, TrialQuery } from "./queries.ts";

export type Trial = { name: string; file: ArchiveFile; damage: DamageKind; seed: number };

const damageWeights: readonly [DamageKind, number][] = [
  ["flipped bit", 50],
  ["zeroed page", 16],
  ["copied page", 18],
  ["truncated", 6],
  ["missing", 4],
  ["older", 3],
  ["oldest", 3],
];
const kindWeights = { catalog: 30, unsealed: 25, sealed: 20, delta: 25 } as const;

/** Draws trials, omitting damage that a file cannot have. */
export function drawTrials(archive: ArchiveUnderTest, count: number, seed: number): Trial[] {
  const random = seededRandom(seed);
  const trials: Trial[] = [];
  while (trials.length < count) {
    const kind = drawWeighted(Object.entries(kindWeights), random);
    const candidates = archive.files.filter((file) => file.kind === kind);
    const file = candidates[Math.floor(random() * candidates.length)];
    const damage = drawWeighted(damageWeights, random);
    if (file === undefined || !isPossible(archive, file, damage)) continue;
    const drawnSeed = Math.floor(random() * 2 ** 31);
    trials.push({ name: `#${trials.length}`, file, damage, seed: drawnSeed });
  }
  return trials;
}

function drawWeighted<Value>(
  weights: readonly (readonly [Value, number])[],
  random: () => number,
): Value {
  let remaining = random() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  const choice = weights.find(([, weight]) => {
    remaining -= weight;
    return remaining < 0;
  });
  return (choice ?? weights[0])?.[0] as Value;
}

const olderPath = (archive: ArchiveUnderTest, { path }: ArchiveFile, damage: DamageKind): string =>
  join(damage === "oldest" ? archive.oldestDir : archive.olderDir, path);

const isPossible = (archive: ArchiveUnderTest, file: ArchiveFile, damage: DamageKind): boolean =>
  (damage !== "older" && damage !== "oldest") || existsSync(olderPath(archive, file, damage));

export type TrialReport = {
  trial: Trial;
  location: string;
  refusal: string | null;
  compared: readonly ComparedQuery[];
  warnings: readonly string[];
  findings: number;
  checkError: string | null;
  removedFiles: readonly string[];
  repairReport: RepairReport | null;
};

/** `lostPosts`: those that were not salvaged. */
type RepairReport = {
  lostPosts: readonly string[];
  compared: readonly ComparedQuery[];
  findings: number;
};

export async function runTrial(
  archive: ArchiveUnderTest,
  trial: Trial,
  truth: ReadonlyMap<TrialQuery, Answer>,
  dataDir: string,
  isRepairTested: boolean,
): Promise<TrialReport> {
  const { file, damage, seed } = trial;
  copyForTrial(archive.dataDir, dataDir);
  const older = olderPath(archive, file, damage);
  const location = damageFile(
    join(dataDir, file.path),
    damage,
    seededRandom(seed),
    existsSync(older) ? older : null,
  );
  const { refusal, compared, warnings } = await openAndQuery(dataDir, truth);
  const { findings, checkError } = await checkArchive(dataDir);
  const removedFiles = databasesIn(archive.dataDir).filter(
    (path) => path !== file.path && !existsSync(join(dataDir, path)),
  );
  const repairReport = isRepairTested
    ? await repair(dataDir, trial, refusal !== null, truth).catch(failedRepair)
    : null;
  return {
    trial,
    location,
    refusal,
    compared,
    warnings,
    findings,
    checkError,
    removedFiles,
    repairReport,
  };
}

/** A failed repair counts as one finding. */
function failedRepair(error: unknown): RepairReport {
  console.log(`a repair failed: ${errorMessage(error)}`);
  return { lostPosts: [], compared: [], findings: 1 };
}

const segmentDamageKinds: ReadonlySet<DamageKind> = new Set([
  "flipped bit",
  "zeroed page",
  "copied page",
]);

/** Repairs the archive, then repeats all queries that do not count lost posts. Null if only a backup helps. */
async function repair(
  dataDir: string,
  { file, damage }: Trial,
  isRefused: boolean,
  truth: ReadonlyMap<TrialQuery, Answer>,
): Promise<RepairReport | null> {
  let lostPosts: string[] = [];
  if (file.kind === "catalog") {
    if (!isRefused) return null;
    await recover({
      dataDir,
      isForced: false,
      retainedIngestNumbers: archiveDefaults.retainedIngestNumbers,
      onProgress: () => {},
      signal: neverAborted,
    });
  } else if (segmentDamageKinds.has(damage)) {
    lostPosts = await salvage(dataDir, file);
  } else {
    return null;
  }
  const remainingTruth = [...truth].flatMap(([query, expected]) => {
    if (lostPosts.length > 0 && query.name.startsWith("count")) return [];
    const values = new Map([...expected.values].filter(([key]) => !lostPosts.includes(key)));
    return [[query, { ...expected, values }] as const];
  });
  const { compared } = await openAndQuery(dataDir, new Map(remainingTruth));
  return { lostPosts, compared, findings: (await checkArchive(dataDir)).findings };
}

async function salvage(dataDir: string, { path, platform }: ArchiveFile): Promise<string[]> {
  const folder = join(dataDir, "archive");
  const segment = `${platform}/${Number(basename(path, ".db"))}`;
  await requestRewrites(folder, { segment }, neverAborted);
  const { salvaged } = await rewritePending({
    folder,
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress: () => {},
    signal: neverAborted,
  });
  return salvaged
    .flatMap((salvagedSegment) => salvagedSegment.lost?.posts ?? [])
    .map(({ id }) => `${platform} ${id}`);
}

async function openAndQuery(
  dataDir: string,
  truth: ReadonlyMap<TrialQuery, Answer>,
): Promise<Pick<TrialReport, "refusal" | "compared" | "warnings">> {
  const warnings: string[] = [];
  let archive: Awaited<ReturnType<typeof openForTrial>>;
  try {
    archive = await openForTrial(dataDir, (message) => warnings.push(message));
    await archive.verified().catch(async (error: unknown) => {
      await archive.close();
      throw error;
    });
  } catch (error) {
    return { refusal: errorMessage(error), compared: [], warnings };
  }
  try {
    return { refusal: null, compared: await compareAll(archive, truth), warnings };
  } finally {
    await archive.close();
  }
}

const neverAborted = new AbortController().signal;

async function checkArchive(
  dataDir: string,
): Promise<Pick<TrialReport, "findings" | "checkError">> {
  try {
    const report = await check({
      folder: join(dataDir, "archive"),
      isFull: true,
      sampleRows: 1_000,
      onProgress: () => {},
      signal: neverAborted,
    });
    return { findings: report.findingCount, checkError: null };
  } catch (error) {
    return { findings: 0, checkError: errorMessage(error) };
  }
}

const databasesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".db"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
