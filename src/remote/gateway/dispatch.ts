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
  stopSignal: AbortSignal;
  onUnusableKey: (run: Run) => void;
};

type LeaseRequest = Parameters<NodeQueue["lease"]>[0];

const spareRequests = 4;

const maxMethodSets = 16;

export function createDispatch(context: DispatchContext) {
  const { runs, registry, queue, clock, log, eligibility, stopSignal } = context;

  function recordLeaseRequest(run: Run, methods: readonly string[], change: 1 | -1): void {
    run.openLeaseRequests += change;
    for (const method of new Set(methods)) {
      const previous = run.demand.get(method) ?? { open: 0, max: 0 };
      const open = previous.open + change;
      const endedAtMs = clock.elapsed();
      run.demand.set(method, { open, max: Math.max(open, previous.max), endedAtMs });
    }
  }

  async function nextJob(
    run: Run,
    methods: readonly string[],
    endMs: number,
    endSignal: AbortSignal,
  ): Promise<JobEnvelope | null> {
    const request = leaseRequestFor(run, methods);
    while (!endSignal.aborted) {
      const lease = await queue.lease(request, endMs - clock.elapsed(), endSignal);
      if (lease === null) return null;
      if (lease.lostSignal.aborted) continue;
      const envelope = await send(run, lease, endSignal);
      if (envelope !== null) return envelope;
    }
    return null;
  }

  /** Shared by lease requests for the same methods, so that the queue evaluates it once. */
  function leaseRequestFor(run: Run, methods: readonly string[]): LeaseRequest {
    const sortedMethods = methodNames.filter((method) => methods.includes(method));
    const request = run.leaseRequests.get(sortedMethods.join()) ?? {
      nodeId: run.nodeId,
      methods: sortedMethods,
      isOpen: () => eligibility.isOpen(run),
      accepts: (work: GatewayWork) => eligibility.accepts(run, work),
      load: () => eligibility.load(run),
      // Nodes do not report slots per method: use their most concurrent requests.
      slots: () => Math.max(0, ...sortedMethods.map((method) => run.demand.get(method)?.max ?? 0)),
      onLease: () => recordDispatch(run),
    };
    if (run.leaseRequests.size < maxMethodSets)
      run.leaseRequests.set(sortedMethods.join(), request);
    return request;
  }

  function recordDispatch(run: Run): void {
    run.dispatchTimesMs.push(clock.elapsed());
    const waitMs = eligibility.paceMs(run);
    if (waitMs === 0 || run.isPaced) return;
    run.isPaced = true;
    const wake = () => {
      run.isPaced = false;
      queue.wakeNodes();
    };
    clock.sleep(waitMs, stopSignal).then(wake, () => undefined);
  }

  async function send(
    run: Run,
    lease: Lease<GatewayWork>,
    endSignal: AbortSignal,
  ): Promise<JobEnvelope | null> {
    const { uuid, token, lostSignal } = lease;
    const encryptedJob = await encryptLeasedJob(run, lease).catch((error: unknown) => {
      const message = "failed to encrypt a job for a node";
      log.warn({ node: run.nodeId, uuid, error: errorMessage(error) }, message);
      if (failedCheckDetail(error).code === "key_unusable") context.onUnusableKey(run);
      return null;
    });
    if (lostSignal.aborted) return null;
    if (endSignal.aborted || !runs.isLive(run)) {
      await queue.returnJob(uuid, token).catch(() => undefined);
      return null;
    }
    if (encryptedJob === null) {
      // Counts as an attempt, because a returned job would be retried forever.
      await queue.fail(uuid, token, encryptionFailure).catch(() => undefined);
      return null;
    }
    run.leases.set(token, encryptedJob.lease);
    lostSignal.addEventListener("abort", () => run.leases.delete(token), { once: true });
    context.onDispatch?.(run.evidence);
    return encryptedJob.envelope;
  }

  async function encryptLeasedJob(
    run: Run,
    leasedJob: Lease<GatewayWork>,
  ): Promise<{ envelope: JobEnvelope; lease: OpenLease }> {
    const { uuid: job, work, token, attempt, remainingMs, leaseMs: holdMs } = leasedJob;
    const request = requestText(work);
    const { credential, release } = (await context.released.release(run, leasedJob)) ?? {};
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
    const lease = {
      run,
      job,
      token,
      work,
      request,
      answerKey,
      encryptedMs,
      pendingCompletion: null,
    };
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
      if (run.openLeaseRequests >= maxRequests)
        throw tooManyNodeAttempts("the node has too many open lease requests");
      const endSignal = AbortSignal.any([signal, run.endController.signal, stopSignal]);
      const endMs = clock.elapsed() + Math.min(waitMs, leaseWaitMs);
      recordLeaseRequest(run, methods, 1);
      try {
        return await nextJob(run, methods, endMs, endSignal);
      } finally {
        run.lastRequestMs = Math.max(run.lastRequestMs, clock.elapsed());
        recordLeaseRequest(run, methods, -1);
        queue.wakeNodes();
      }
    },
  };
}

const encryptionFailure = {
  code: "node_lost",
  message: "failed to encrypt the job for its node",
  status: 503,
  retryable: true,
};
