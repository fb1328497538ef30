/**
 * A search of all platforms waits for the node that covers most of them, because one that covers fewer returns fewer posts and no
 * error. Capabilities are unverified claims, so a job waits only for connected nodes that request such jobs and do not fail repeatedly.
 */

import { evidenceKinds } from "../../jobs/result-signature.ts";
import type { Method } from "../../platforms/methods.ts";
import { type Capability, mergedCapabilities, reachOf } from "../capability.ts";
import type { GatewayWork } from "./context.ts";
import type { JobFailures } from "./job-failures.ts";
import type { NodeDirectoryContext } from "./node-directory.ts";
import { isQuarantined, type NodeRecord } from "./node-record.ts";
import type { NodeRegistry } from "./node-registry.ts";
import type { Releases } from "./releases.ts";
import type { Run, Runs } from "./runs.ts";

const pollGraceMs = 5_000;

/** Jobs do not wait for a node with this many consecutive failures. */
const failuresInRowLimit = 2;

const paceWindowMs = 1_000;

type EligibilityContext = Pick<
  NodeDirectoryContext,
  "settings" | "clock" | "embeddedReach" | "running"
> & { known: NodeRegistry; runs: Runs; failures: JobFailures; released: Releases };

export class Eligibility {
  readonly #context: EligibilityContext;

  constructor(context: EligibilityContext) {
    this.#context = context;
  }

  running = ({ nodeId }: Run): number => this.#context.running.of(nodeId);

  load = (run: Run): number =>
    // A retry prefers nodes without recent failures.
    this.running(run) / (this.#recordOf(run)?.concurrency ?? 1) +
    this.#context.failures.inRow(run.nodeId);

  isConnected(run: Run): boolean {
    const { runs, clock } = this.#context;
    if (!runs.isLive(run)) return false;
    return (
      run.polls > 0 || this.running(run) > 0 || run.lastRequestMs + pollGraceMs > clock.elapsed()
    );
  }

  isOpen(run: Run): boolean {
    return this.#isServing(run) && this.paceMs(run) === 0 && !this.#isBusy(run);
  }

  /** Milliseconds until the next dispatch, so that no sliding second has more than `dispatchesPerSecond`; 0 if now. */
  paceMs(run: Run): number {
    const { settings, clock } = this.#context;
    const sinceMs = clock.elapsed() - paceWindowMs;
    const [oldestMs = sinceMs] = run.dispatchedMs;
    if (oldestMs <= sinceMs) run.dispatchedMs = run.dispatchedMs.filter((atMs) => atMs > sinceMs);
    const blockingMs = run.dispatchedMs[run.dispatchedMs.length - settings.dispatchesPerSecond];
    return blockingMs === undefined ? 0 : blockingMs - sinceMs;
  }

  takes(run: Run, method: Method): boolean {
    const demand = run.demand.get(method);
    if (demand === undefined) return false;
    const isRecent = demand.endedMs + pollGraceMs > this.#context.clock.elapsed();
    return demand.open > 0 || isRecent || this.#isBusy(run);
  }

  capabilities = (run: Run): readonly Capability[] =>
    mergedCapabilities(
      this.#recordOf(run)?.capabilities ?? [],
      this.#context.released.capabilities(run),
    );

  accepts(run: Run, work: GatewayWork): boolean {
    if (!canContinueOn(run.nodeId, work)) return false;
    const reach = this.#reachOf(run, work);
    return reach > 0 && this.#isBest(run, work, reach);
  }

  /** The furthest reach, then the strongest evidence among nodes with an open lease request. */
  #isBest(run: Run, work: GatewayWork, reach: number): boolean {
    // The next page stays on the node that fetched the previous one.
    if ((work.place?.nodeId ?? null) !== null) return true;
    if (this.#context.embeddedReach(work) > reach) return false;
    for (const other of this.#context.runs.all()) {
      if (other === run) continue;
      const otherReach = this.#reachOf(other, work);
      if (otherReach < reach || otherReach === 0) continue;
      const isPreferred =
        otherReach > reach || (isStronger(other, run) && this.#isWaiting(other, work));
      if (isPreferred && this.#isExpected(other, work)) return false;
    }
    return true;
  }

  #isExpected(run: Run, work: GatewayWork): boolean {
    return (
      this.#isServing(run) &&
      this.isConnected(run) &&
      this.takes(run, work.method) &&
      this.#context.failures.inRow(run.nodeId) < failuresInRowLimit
    );
  }

  #isWaiting(run: Run, { method }: GatewayWork): boolean {
    return this.isOpen(run) && (run.demand.get(method)?.open ?? 0) > 0;
  }

  #isServing(run: Run): boolean {
    const { clock, runs } = this.#context;
    const record = this.#recordOf(run);
    return record?.state === "approved" && !isQuarantined(record, clock) && runs.isLive(run);
  }

  #isBusy = (run: Run): boolean => this.running(run) >= (this.#recordOf(run)?.concurrency ?? 0);

  #reachOf = (run: Run, work: GatewayWork): number =>
    work.isKeptHere
      ? this.#context.released.reachOfKept(run, work)
      : reachOf(this.capabilities(run), work);

  #recordOf = ({ nodeId }: Run): NodeRecord | undefined => this.#context.known.get(nodeId);
}

const isStronger = (one: Run, other: Run): boolean =>
  evidenceKinds.indexOf(one.evidence) < evidenceKinds.indexOf(other.evidence);

/** A continuation with a credential must run on the node that has it. */
function canContinueOn(nodeId: string, { place = null }: GatewayWork): boolean {
  if (place === null) return true;
  return place.nodeId === undefined ? place.credentialId === null : place.nodeId === nodeId;
}
