import { isLeaseLost, leaseLost } from "../../jobs/leases/lease.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { SourceAnswer } from "../../platforms/source.ts";
import { readAnswer } from "../protocol/answer.ts";
import { decryptAnswer } from "../protocol/encrypted-answer.ts";
import { failedCheckDetail, nodeAnswerRefused, nodeUnauthorized } from "../protocol/errors.ts";
import type { EncryptedAnswer } from "../protocol/messages.ts";
import { requireBinding, verifyResult } from "../protocol/signed-result.ts";
import { readFailure } from "../protocol/texts.ts";
import { clockSkewMs } from "../settings.ts";
import type { SignedAnswer } from "./context.ts";
import type { GatewayParts } from "./node-directory.ts";
import type { OpenLease, Run } from "./runs.ts";

/** The first upload may hang on a connection that has broken unnoticed. */
const maxUploadsPerLease = 2;

export function createCompletion(context: GatewayParts) {
  const { runs, queue, registry, failures, events, clock, log } = context;

  /**
   * A lease's second completion waits for the first, then fails with `lease_lost` or the first
   * one's error.
   */
  async function completeOnce<Value>(
    run: Run,
    encryptedAnswer: EncryptedAnswer,
    read: (lease: OpenLease, plaintext: Uint8Array) => Value | Promise<Value>,
    store: (lease: OpenLease, value: Value) => Promise<void>,
  ): Promise<void> {
    const { job, token } = encryptedAnswer;
    const lease = requireLease(run, job, token);
    if (lease.pendingCompletion !== null) {
      await lease.pendingCompletion;
      throw leaseLost(job);
    }
    const readAndStore = async () => {
      const value = await readOrFail(lease, () =>
        read(lease, decryptAnswer(lease.answerKey, encryptedAnswer)),
      );
      await store(lease, value);
    };
    lease.pendingCompletion = readAndStore();
    try {
      await lease.pendingCompletion;
      run.leases.delete(token);
    } catch (error) {
      lease.pendingCompletion = null;
      if (isLeaseLost(error)) run.leases.delete(token);
      throw error;
    }
  }

  /** The job of an invalid answer is retried, on another node if possible. */
  async function readOrFail<Value>(
    { run, job, token }: OpenLease,
    read: () => Value | Promise<Value>,
  ): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      const { code, message } = failedCheckDetail(error);
      context.onRefusedAnswer?.(code);
      events.record(run.nodeId, "answer_refused", `${code}: ${message} (job ${job})`);
      run.leases.delete(token);
      const failure = {
        code: "node_answer_refused",
        message: `the node's answer was rejected (${code})`,
        status: 502,
        retryable: true,
      };
      await queue.fail(job, token, failure).catch((requeueError: unknown) => {
        if (isLeaseLost(requeueError)) return;
        log.warn(
          { error: errorMessage(requeueError) },
          "failed to requeue a job after a rejected answer",
        );
      });
      throw nodeAnswerRefused(code, message);
    }
  }

  async function verify(lease: OpenLease, plaintext: Uint8Array): Promise<SignedAnswer> {
    const { run, job, request, work, encryptedMs } = lease;
    const { nodeId, keyId, signingKey } = run;
    const { answer, body, knowledge, fields } = await readAnswer(plaintext, work);
    const signedResult = verifyResult(fields, { body, knowledge, request, signingKey });
    const { attestationId, signedAtMs, evidence } = signedResult;
    requireBinding(signedResult, job, keyId, run.attestations.get(attestationId));
    // Signatures are dated in whole seconds.
    const earliestMs = encryptedMs - clockSkewMs - 1_000;
    if (signedAtMs < earliestMs || signedAtMs > clock.now() + clockSkewMs) {
      throw nodeAnswerRefused("other_time", "the answer was not signed during its lease");
    }
    const signature = { nodeId, keyId, attestationId, evidence, fields, knowledge, request };
    return { ...boundToNode(answer, nodeId), signature };
  }

  return {
    renew: async (run: Run, job: string, token: string): Promise<number> => {
      runs.requireLive(run);
      requireLease(run, job, token);
      return await queue.renew(job, token);
    },

    /**
     * Call this before reading the body, and the returned function after it. Errors: `lease_lost`
     * if too many uploads are open.
     */
    begin: (run: Run): (() => void) => {
      if (run.openUploads >= maxUploadsPerLease * run.leases.size) throw leaseLost();
      run.openUploads += 1;
      let hasEnded = false;
      return () => {
        if (!hasEnded) run.openUploads -= 1;
        hasEnded = true;
      };
    },

    /** Errors: `node_unauthorized` if the run has ended; `lease_lost`; `node_answer_refused`, after which the job is retried. */
    complete: (run: Run, encryptedAnswer: EncryptedAnswer): Promise<void> =>
      completeOnce(run, encryptedAnswer, verify, async ({ job, token }, answer) => {
        await queue.complete(job, token, answer);
        registry.recordUse(run.nodeId, { done: 1 });
        failures.recordDone(run.nodeId, job);
      }),

    fail: (run: Run, encryptedAnswer: EncryptedAnswer): Promise<void> =>
      completeOnce(
        run,
        encryptedAnswer,
        (_lease, plaintext) => readFailure(plaintext),
        async (lease, reportedFailure) => {
          const { job, token, work } = lease;
          const node = registry.get(run.nodeId);
          if (node === undefined) throw leaseLost(job);
          await queue.fail(job, token, failures.record(node, job, reportedFailure, work));
          registry.recordUse(run.nodeId, { failed: 1 });
        },
      ),
  };
}

function requireLease(run: Run, job: string, token: string): OpenLease {
  if (run.endController.signal.aborted) {
    throw nodeUnauthorized("unknown_key", "the keys of this run are no longer valid");
  }
  const lease = run.leases.get(token);
  if (lease?.job !== job) throw leaseLost(job);
  return lease;
}

/** Binds a continuation to the node whose credential it uses. */
function boundToNode(answer: SourceAnswer, nodeId: string): SourceAnswer {
  if (answer.nextPosition == null) return answer;
  const { nodeId: _, ...position } = answer.nextPosition;
  const nextPosition = position.credentialId === null ? position : { ...position, nodeId };
  return { ...answer, nextPosition };
}
