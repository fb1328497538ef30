import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { segmentPath } from "../src/archive/catalog/catalog.ts";
import { compactionContext } from "../src/archive/compaction/context.ts";
import { sealSegment } from "../src/archive/compaction/seal-segment.ts";
import { lockPauseMs } from "../src/archive/compaction/steps.ts";
import { archiveDefaults } from "../src/archive/settings.ts";
import { readEntries } from "./sealed-engines.ts";

export type SealFigures = {
  posts: number;
  segments: number;
  cpuSecondsPerMillion: number;
  secondsPerMillion: number;
  /** The longest step, and how many steps took more than 15 and 50 ms. */
  longestStepMs: number;
  stepsAbove15Ms: number;
  stepsAbove50Ms: number;
  /** CPU time, which other load does not affect. */
  longestStepCpuMs: number;
  cpuStepsAbove15Ms: number;
  peakMb: number;
  /** Bytes per post. */
  parts: Record<string, number>;
  indexBytesPerPost: number;
};

export function measureSeal(fromDir: string, dataDir: string): SealFigures {
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(fromDir, dataDir, { recursive: true });
  const folder = join(dataDir, "archive");
  const context = compactionContext(folder, archiveDefaults, { now: Date.now });
  const waitBuffer = new Int32Array(new SharedArrayBuffer(4));
  const stepsMs: number[] = [];
  const cpuStepsMs: number[] = [];
  let posts = 0;
  let segments = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  for (const entry of readEntries(folder)) {
    const steps = sealSegment(context, entry);
    segments += 1;
    for (;;) {
      const stepStart = performance.now();
      const stepCpuStart = process.threadCpuUsage();
      const step = steps.next();
      const { user, system } = process.threadCpuUsage(stepCpuStart);
      stepsMs.push(performance.now() - stepStart);
      cpuStepsMs.push((user + system) / 1_000);
      if (step.done) {
        posts += step.value.posts;
        break;
      }
      if (step.value === "waiting") Atomics.wait(waitBuffer, 0, 0, lockPauseMs);
    }
  }
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  context.catalog.close();
  const parts = readParts(folder, posts);
  const indexParts = Object.entries(parts).filter(
    ([name]) => name.startsWith("sealed") || name.startsWith("term"),
  );
  return {
    posts,
    segments,
    cpuSecondsPerMillion: (user + system) / posts,
    secondsPerMillion: (seconds * 1e6) / posts,
    longestStepMs: longest(stepsMs),
    stepsAbove15Ms: stepsMs.filter((ms) => ms > 15).length,
    stepsAbove50Ms: stepsMs.filter((ms) => ms > 50).length,
    longestStepCpuMs: longest(cpuStepsMs),
    cpuStepsAbove15Ms: cpuStepsMs.filter((ms) => ms > 15).length,
    peakMb: process.resourceUsage().maxRSS / 1_024,
    parts,
    indexBytesPerPost: indexParts.reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}

const longest = (ms: readonly number[]): number =>
  ms.reduce((max, value) => Math.max(max, value), 0);

function readParts(folder: string, posts: number): Record<string, number> {
  const parts = new Map<string, number>();
  for (const entry of readEntries(folder)) {
    const database = new DatabaseSync(segmentPath(folder, entry), { readOnly: true });
    const rows = database.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name");
    for (const { name, bytes } of rows.iterate()) {
      parts.set(String(name), (parts.get(String(name)) ?? 0) + Number(bytes));
    }
    database.close();
  }
  const partSizes = [...parts].map(([part, bytes]) => [part, bytes / posts] as const);
  return Object.fromEntries(
    partSizes.filter(([, bytes]) => bytes >= 0.05).sort((a, b) => b[1] - a[1]),
  );
}
