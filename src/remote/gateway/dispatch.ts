import { randomUUID } from "node:crypto";
import type { Lease } from "../../jobs/leases/lease.ts";
import { errorMessage } from "../../lib/errors.ts";
import { methodNames } from "../../platforms/methods.ts";
import { encryptJob } from "../protocol/encrypted-job.ts";
import { failedCheckDetail } from "../protocol/errors.ts";
import type { JobEnvelope, LeaseBody } from "../protocol/messages.ts";
import { requestText } from "../protocol/texts.ts";
import { leaseWaitMs } from "../settings.ts";
import { tooManyNodeAttempts } from "./authenticate.ts";
import type { GatewayWork, NodeQueue } from "./context.ts";
import type { GatewayParts } from "./node-directory.ts";
import type { OpenLease, Run } from "./runs.ts";

type DispatchContext = GatewayParts & {
  stopping: AbortSignal;
  onUnusable: (run: Run) => void;
};

type LeaseRequest = Parameters<NodeQueue["lease"]>[0];

const spareRequests = 4;

const maxMethodSets = 16;

export function createDispatch(context: DispatchContext) {
  const { runs, registry, queue, clock, log, eligibility, stopping } = context;

  function recordLeaseRequest(run: Run, methods: readonly string[], change: 1 | -1): void {
    run.polls += change;
    for (const method of new Set(methods)) {
      const before = run.demand.get(method) ?? { open: 0, max: 0 };
      const open = before.open + change;
      const endedMs = clock.elapsed();
      run.demand.set(method, { open, max: Math.max(open, before.max), endedMs });
    }
  }

  async function nextJob(
    run: Run,
    methods: readonly string[],
    endMs: number,
    ended: AbortSignal,
  ): Promise<JobEnvelope | null> {
    const request = runRequest(run, methods);
    while (!ended.aborted) {
      const lease = await queue.lease(request, endMs - clock.elapsed(), ended);
      if (lease === null) return null;
      if (lease.lost.aborted) continue;
      const envelope = await send(run, lease, ended);
      if (envelope !== null) return envelope;
    }
    return null;
  }

  /** Shared by lease requests for the same methods, so that the queue evaluates it once. */
  function runRequest(run: Run, methods: readonly string[]): LeaseRequest {
    const sortedMethods = methodNames.filter((method) => methods.includes(method));
    const request = run.requests.get(sortedMethods.join()) ?? {
      nodeId: run.nodeId,
      methods: sortedMethods,
      isOpen: () => eligibility.isOpen(run),
      accepts: (work: GatewayWork) => eligibility.accepts(run, work),
      load: () => eligibility.load(run),
      // Nodes do not report slots per method: use their most concurrent requests.
      slots: () => Math.max(0, ...sortedMethods.map((method) => run.demand.get(method)?.max ?? 0)),
      onLease: () => recordPace(run),
    };
    if (run.requests.size < maxMethodSets) run.requests.set(sortedMethods.join(), request);
    return request;
  }

  function recordPace(run: Run): void {
    run.dispatchedMs.push(clock.elapsed());
    const waitMs = eligibility.paceMs(run);
    if (waitMs === 0 || run.isPaced) return;
    run.isPaced = true;
    const wake = () => {
      run.isPaced = false;
      queue.wakeNodes();
    };
    clock.sleep(waitMs, stopping).then(wake, () => undefined);
  }

  async function send(
    run: Run,
    lease: Lease<GatewayWork>,
    ended: AbortSignal,
  ): Promise<JobEnvelope | null> {
    const { uuid, token, lost } = lease;
    const encrypted = await encryptLeased(run, lease).catch((error: unknown) => {
      const message = "encrypting a job for a node failed";
      log.warn({ node: run.nodeId, uuid, error: errorMessage(error) }, message);
      if (failedCheckDetail(error).code === "key_unusable") context.onUnusable(run);
      return null;
    });
    if (lost.aborted) return null;
    if (ended.aborted || !runs.isLive(run)) {
      await queue.returnJob(uuid, token).catch(() => undefined);
      return null;
    }
    if (encrypted === null) {
      // Counts as an attempt, because a returned job would be retried forever.
      await queue.fail(uuid, token, encryptionFailed).catch(() => undefined);
      return null;
    }
    run.leases.set(token, encrypted.lease);
    lost.addEventListener("abort", () => run.leases.delete(token), { once: true });
    context.onDispatch?.(run.evidence);
    return encrypted.envelope;
  }

  async function encryptLeased(
    run: Run,
    leased: Lease<GatewayWork>,
  ): Promise<{ envelope: JobEnvelope; lease: OpenLease }> {
    const { uuid: job, work, token, attempt, remainingMs, leaseMs: holdMs } = leased;
    const request = requestText(work);
    const { credential, release } = (await context.released.release(run, leased)) ?? {};
    const encryptedMs = clock.now();
    const left_ms = Math.max(0, remainingMs);
    const { envelope, answerKey } = await encryptJob({
      keyId: run.keyId,
      encryptionKey: run.encryptionKey,
      job,
      lease: randomUUID(),
      payload: { token, attempt, left_ms, hold_ms: holdMs, request, credential },
      release,
      nowMs: encryptedMs,
      lifetimeMs: holdMs,
      gateway: context.gatewayKey,
    });
    const lease = { run, job, token, work, request, answerKey, encryptedMs, completing: null };
    return { envelope, lease };
  }

  return {
    lease: async (
      run: Run,
      { methods, wait_ms: waitMs }: LeaseBody,
      signal: AbortSignal,
    ): Promise<JobEnvelope | null> => {
      runs.requireLive(run);
      const maxRequests = (registry.get(run.nodeId)?.concurrency ?? 0) + spareRequests;
      if (run.polls >= maxRequests)
        throw tooManyNodeAttempts("the node has too many open lease requests");
      const anyEnd = AbortSignal.any([signal, run.ended.signal, stopping]);
      const endMs = clock.elapsed() + Math.min(waitMs, leaseWaitMs);
      recordLeaseRequest(run, methods, 1);
      try {
        return await nextJob(run, methods, endMs, anyEnd);
      } finally {
        run.lastRequestMs = Math.max(run.lastRequestMs, clock.elapsed());
        recordLeaseRequest(run, methods, -1);
        queue.wakeNodes();
      }
    },
  };
}

const encryptionFailed = {
  code: "node_lost",
  message: "encrypting the job for its node failed",
  status: 503,
  retryable: true,
};
