import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { argv, env } from "node:process";
import { seededRandom } from "../../bench/measure.ts";
import { freePort } from "../service/free-port.ts";
import { startByzantineNodes } from "./byzantine-nodes.ts";
import { openDeployment } from "./deployment.ts";
import { findings } from "./findings.ts";
import { runLoad } from "./load.ts";
import { generatedPosts } from "./posts.ts";
import { checkProofs } from "./proofs.ts";
import type { ChaosReport } from "./report.ts";

/**
 * Writes a JSON report. A separate process, because network namespaces may need privileges. EARSHOT_TEST_KEEP
 * retains folders and logs.
 */
const [reportFile = "", seed = "1", jobs = "5000"] = argv.slice(2);
const leaseMs = 2_000;
const nodeConcurrency = 8;
const smallKeys = ["small-0", "small-1", "small-2", "small-3"];

const posts = generatedPosts(200, 12);
const contradictions: string[] = [];
const contradict = (what: string): void => {
  if (contradictions.length < 50) contradictions.push(what);
};

process.once("SIGTERM", () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), "earshot-nodes-chaos-"));
const openingStartMs = performance.now();
const secondsSince = (ms: number): number => Math.round((performance.now() - ms) / 100) / 10;

const deployment = await openDeployment({
  folder,
  port: await freePort(),
  posts,
  clients: ["greedy", ...smallKeys],
  leaseMs,
  dispatchesPerSecond: 60,
  nodeConcurrency,
});
try {
  const readySeconds = secondsSince(openingStartMs);
  const byzantine = await startByzantineNodes(deployment.gatewayDir, deployment.base);
  const loadStartMs = performance.now();
  const { requestedJobs, faults, smallWaitsMs } = await runLoad({
    deployment,
    posts,
    jobs: Number(jobs),
    smallKeys,
    leaseMs,
    random: seededRandom(Number(seed)),
    contradict,
  });
  const loadSeconds = secondsSince(loadStartMs);
  const report: ChaosReport = {
    byzantine: await byzantine.stop(),
    ...findings(deployment, { requestedJobs, posts, smallKeys, contradict }),
    seed: Number(seed),
    network: deployment.network.kind,
    readySeconds,
    loadSeconds,
    faults,
    smallWaitsMs,
    maxTurns: smallKeys.length + deployment.targets.length * nodeConcurrency,
    contradictions,
    proofs: await checkProofs(deployment, requestedJobs, 20, folder),
  };
  writeFileSync(reportFile, JSON.stringify(report));
} finally {
  await deployment.close();
  if (env.EARSHOT_TEST_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  else console.log(`not deleted: ${folder}`);
}
