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
  let left = random() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  const choice = weights.find(([, weight]) => {
    left -= weight;
    return left < 0;
  });
  return (choice ?? weights[0])?.[0] as Value;
}

const olderOf = (archive: ArchiveUnderTest, { path }: ArchiveFile, damage: DamageKind): string =>
  join(damage === "oldest" ? archive.oldest : archive.older, path);

const isPossible = (archive: ArchiveUnderTest, file: ArchiveFile, damage: DamageKind): boolean =>
  (damage !== "older" && damage !== "oldest") || existsSync(olderOf(archive, file, damage));

export type TrialReport = {
  trial: Trial;
  where: string;
  refusal: string | null;
  compared: readonly ComparedQuery[];
  warnings: readonly string[];
  findings: number;
  checkError: string | null;
  removed: readonly string[];
  repaired: Repaired | null;
};

/** `lost`: posts that were not salvaged. */
type Repaired = { lost: readonly string[]; compared: readonly ComparedQuery[]; findings: number };

export async function runTrial(
  archive: ArchiveUnderTest,
  trial: Trial,
  truth: ReadonlyMap<TrialQuery, Answer>,
  dataDir: string,
  isRepairTested: boolean,
): Promise<TrialReport> {
  const { file, damage, seed } = trial;
  copyForTrial(archive.dataDir, dataDir);
  const older = olderOf(archive, file, damage);
  const where = damageFile(
    join(dataDir, file.path),
    damage,
    seededRandom(seed),
    existsSync(older) ? older : null,
  );
  const { refusal, compared, warnings } = await openAndRequest(dataDir, truth);
  const { findings, checkError } = await checkArchive(dataDir);
  const removed = databasesIn(archive.dataDir).filter(
    (path) => path !== file.path && !existsSync(join(dataDir, path)),
  );
  const repaired = isRepairTested
    ? await repair(dataDir, trial, refusal !== null, truth).catch(asFailed)
    : null;
  return { trial, where, refusal, compared, warnings, findings, checkError, removed, repaired };
}

/** A failed repair counts as one finding. */
function asFailed(error: unknown): Repaired {
  console.log(`a repair failed: ${errorMessage(error)}`);
  return { lost: [], compared: [], findings: 1 };
}

const segmentDamages: ReadonlySet<DamageKind> = new Set([
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
): Promise<Repaired | null> {
  let lost: string[] = [];
  if (file.kind === "catalog") {
    if (!isRefused) return null;
    await recover({
      dataDir,
      isForced: false,
      retainedIngestNumbers: archiveDefaults.retainedIngestNumbers,
      onProgress: () => {},
      signal: never,
    });
  } else if (segmentDamages.has(damage)) {
    lost = await salvage(dataDir, file);
  } else {
    return null;
  }
  const differences = [...truth].flatMap(([query, expected]) => {
    if (lost.length > 0 && query.name.startsWith("count")) return [];
    const values = new Map([...expected.values].filter(([key]) => !lost.includes(key)));
    return [[query, { ...expected, values }] as const];
  });
  const { compared } = await openAndRequest(dataDir, new Map(differences));
  return { lost, compared, findings: (await checkArchive(dataDir)).findings };
}

async function salvage(dataDir: string, { path, platform }: ArchiveFile): Promise<string[]> {
  const folder = join(dataDir, "archive");
  const segment = `${platform}/${Number(basename(path, ".db"))}`;
  await requestRewrites(folder, { segment }, never);
  const { salvaged } = await rewritePending({
    folder,
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress: () => {},
    signal: never,
  });
  return salvaged
    .flatMap((salvagedSegment) => salvagedSegment.lost?.posts ?? [])
    .map(({ id }) => `${platform} ${id}`);
}

async function openAndRequest(
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

const never = new AbortController().signal;

async function checkArchive(
  dataDir: string,
): Promise<Pick<TrialReport, "findings" | "checkError">> {
  try {
    const report = await check({
      folder: join(dataDir, "archive"),
      isFull: true,
      sampleRows: 1_000,
      onProgress: () => {},
      signal: never,
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
