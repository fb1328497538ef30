import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultKinds } from "../../testkit/nodes-chaos/faults.ts";
import type { ChaosReport } from "../../testkit/nodes-chaos/report.ts";

/**
 * A gateway and three nodes in separate network namespaces, with kills, stops, partitions and drains, and four Byzantine nodes.
 * EARSHOT_TEST_CHAOS_SEED repeats a run.
 */
const jobs = 5_000;
const seed = Number(process.env.EARSHOT_TEST_CHAOS_SEED ?? Date.now() % 1_000_000);

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-chaos-"));
let run: ChildProcess | null = null;
afterAll(async () => {
  if (run !== null && run.exitCode === null && run.signalCode === null) {
    run.kill("SIGTERM");
    await once(run, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Runs directly or in a user namespace. */
function chaosCommand(args: readonly string[]): [string, string[]] {
  const canMakeUsers = spawnSync("unshare", ["-Urn", "true"]).status === 0;
  if (process.getuid?.() === 0 || !canMakeUsers) return [process.execPath, [...args]];
  const inside = ["-c", 'ip link set lo up && exec "$0" "$@"', process.execPath, ...args];
  return ["unshare", ["-Urn", "--", "sh", ...inside]];
}

let report: ChaosReport;
beforeAll(async () => {
  const file = join(folder, "report.json");
  const main = join(import.meta.dirname, "../../testkit/nodes-chaos/run.ts");
  const [program, args] = chaosCommand([main, file, String(seed), String(jobs)]);
  const env = { ...process.env, TMPDIR: folder };
  run = spawn(program, args, { env, stdio: ["ignore", "inherit", "inherit"] });
  await once(run, "exit");
  expect(existsSync(file), `seed ${seed}: no report was written`).toBe(true);
  report = JSON.parse(readFileSync(file, "utf8"));
  console.log(formatSummary(report));
}, 400_000);

function formatSummary(found: ChaosReport): string {
  const { smallWaitsMs: waits } = found;
  const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
  const errors = found.faults.map(({ at, kind, who }) => `${at} s ${kind} ${who}`);
  return [
    `seed ${found.seed}; nodes are isolated by ${found.network}`,
    `${found.jobs} jobs in ${found.loadSeconds} s, ready after ${found.readySeconds} s, ${found.leasedAgain} leased more than once`,
    `by node: ${JSON.stringify(found.byNode)}`,
    `faults: ${errors.join(", ")}`,
    `Byzantine nodes: ${JSON.stringify(found.byzantine)}`,
    `small keys: ${JSON.stringify(found.fairness)}, at most ${found.maxTurns} turns allowed; results after p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`,
  ].join("\n");
}

describe(`${jobs} jobs through three nodes, seed ${seed}`, () => {
  test("every job is completed once, with the right answer, signed by the holder of the last lease", () => {
    expect(report.contradictions).toEqual([]);
    expect(report.jobs).toBe(jobs);
    expect(report.distinct).toBe(jobs);
    expect(report.states).toEqual({ done: jobs });
  });

  test("jobs are not completed by Byzantine nodes, whose answers are rejected", () => {
    for (const { fault, responses } of report.byzantine) {
      const accepted = Object.keys(responses).filter((status) => status < "300");
      // A reported error is accepted, but the job goes to another node.
      expect(accepted, fault).toEqual(fault === "a query error" ? ["204"] : []);
      expect(Object.keys(responses), fault).not.toEqual([]);
    }
  });

  test("jobs meet every kind of fault while they wait, and some move to a second node", () => {
    for (const kind of faultKinds) {
      const whileWaiting = report.faults.filter(
        (error) => error.kind === kind && error.waiting > 0,
      );
      expect(whileWaiting.length, kind).toBeGreaterThan(0);
    }
    expect(report.leasedAgain).toBeGreaterThan(0);
    expect(Object.keys(report.byNode)).toHaveLength(3);
  });

  test("jobs of a key with few jobs are run in turn, regardless of how many another key has queued", () => {
    for (const { key, jobs: ownJobs, most } of report.fairness) {
      expect(ownJobs, key).toBe(jobs / 20);
      expect(most, key).toBeLessThanOrEqual(report.maxTurns);
    }
  });

  test("completed jobs have proofs that verify, with either kind of evidence", () => {
    for (const { uuid, verdict } of report.proofs) expect(verdict, uuid).toBe("verified");
    expect(new Set(report.proofs.map(({ evidence }) => evidence)).size).toBe(2);
  });
});
