/**
 * A search of all platforms waits for the node that covers the most platforms: others would return
 * fewer posts without an error. Capabilities are unverified, so a job waits only for connected
 * nodes that request such jobs and do not fail repeatedly.
 */

import { evidenceKinds } from "../../jobs/result-signature.ts";
import type { Method } from "../../platforms/methods.ts";
import { type Capability, capabilityRank, mergedCapabilities } from "../capability.ts";
import type { GatewayWork } from "./context.ts";
import type { JobFailures } from "./job-failures.ts";
import type { NodeDirectoryContext, NodeRegistry } from "./node-directory.ts";
import { isQuarantined, type NodeRecord } from "./node-record.ts";
import type { Releases } from "./releases.ts";
import type { Run, Runs } from "./runs.ts";

const graceMs = 5_000;

/** Jobs do not wait for nodes with this many consecutive failures. */
const maxConsecutiveFailures = 2;

const paceWindowMs = 1_000;

export function createEligibility({
  settings,
  clock,
  embeddedRank,
  runningJobs: leases,
  registry,
  runs,
  failures,
  released,
}: NodeDirectoryContext & {
  registry: NodeRegistry;
  runs: Runs;
  failures: JobFailures;
  released: Releases;
}) {
  const recordOf = ({ nodeId }: Run): NodeRecord | undefined => registry.get(nodeId);

  const countRunning = ({ nodeId }: Run): number => leases.count(nodeId);

  const isBusy = (run: Run): boolean => countRunning(run) >= (recordOf(run)?.concurrency ?? 0);

  function isServing(run: Run): boolean {
    const record = recordOf(run);
    return record?.state === "approved" && !isQuarantined(record, clock) && runs.isLive(run);
  }

  function isConnected(run: Run): boolean {
    if (!runs.isLive(run)) return false;
    return (
      run.openLeaseRequests > 0 ||
      countRunning(run) > 0 ||
      run.lastRequestMs + graceMs > clock.elapsed()
    );
  }

  const isOpen = (run: Run): boolean => isServing(run) && paceMs(run) === 0 && !isBusy(run);

  /**
   * Milliseconds until another dispatch stays within `dispatchesPerSecond` in any sliding second.
   */
  function paceMs(run: Run): number {
    const sinceMs = clock.elapsed() - paceWindowMs;
    const [oldestMs = sinceMs] = run.dispatchTimesMs;
    if (oldestMs <= sinceMs)
      run.dispatchTimesMs = run.dispatchTimesMs.filter((atMs) => atMs > sinceMs);
    const blockingMs =
      run.dispatchTimesMs[run.dispatchTimesMs.length - settings.dispatchesPerSecond];
    return blockingMs === undefined ? 0 : blockingMs - sinceMs;
  }

  function takes(run: Run, method: Method): boolean {
    const demand = run.demand.get(method);
    if (demand === undefined) return false;
    const isRecent = demand.endedAtMs + graceMs > clock.elapsed();
    return demand.open > 0 || isRecent || isBusy(run);
  }

  const capabilities = (run: Run): readonly Capability[] =>
    mergedCapabilities(recordOf(run)?.capabilities ?? [], released.capabilities(run));

  const reachOf = (run: Run, work: GatewayWork): number =>
    work.isLocalOnly
      ? released.reachOfOwnCredential(run, work)
      : capabilityRank(capabilities(run), work);

  /**
   * True if no other node has a wider reach, or an equal reach, stronger evidence and an open lease
   * request.
   */
  function isBest(run: Run, work: GatewayWork, reach: number): boolean {
    // The next page stays on the node that fetched the previous one.
    if ((work.position?.nodeId ?? null) !== null) return true;
    if (embeddedRank(work) > reach) return false;
    for (const other of runs.all()) {
      if (other === run) continue;
      const otherReach = reachOf(other, work);
      if (otherReach < reach || otherReach === 0) continue;
      const isPreferred = otherReach > reach || (isStronger(other, run) && isWaiting(other, work));
      if (isPreferred && isExpected(other, work)) return false;
    }
    return true;
  }

  const isExpected = (run: Run, { method }: GatewayWork): boolean =>
    isServing(run) &&
    isConnected(run) &&
    takes(run, method) &&
    failures.consecutiveFailures(run.nodeId) < maxConsecutiveFailures;

  const isWaiting = (run: Run, { method }: GatewayWork): boolean =>
    isOpen(run) && (run.demand.get(method)?.open ?? 0) > 0;

  function accepts(run: Run, work: GatewayWork): boolean {
    if (!canContinueOn(run.nodeId, work)) return false;
    const reach = reachOf(run, work);
    return reach > 0 && isBest(run, work, reach);
  }

  // A retry prefers nodes without recent failures.
  const load = (run: Run): number =>
    countRunning(run) / (recordOf(run)?.concurrency ?? 1) +
    failures.consecutiveFailures(run.nodeId);

  return { running: countRunning, load, isConnected, isOpen, paceMs, takes, capabilities, accepts };
}

const isStronger = (a: Run, b: Run): boolean =>
  evidenceKinds.indexOf(a.evidence) < evidenceKinds.indexOf(b.evidence);

/** A continuation must run on the node whose credential it uses. */
function canContinueOn(nodeId: string, { position = null }: GatewayWork): boolean {
  if (position === null) return true;
  return position.nodeId === undefined
    ? position.credentialId === null
    : position.nodeId === nodeId;
}
