import { firstValue } from "../../lib/abortable-wait.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { isDismissal } from "../protocol/errors.ts";
import { type AttestationResult, type AttestContext, attestOnce } from "./attest.ts";
import { isUnreachable } from "./gateway-errors.ts";
import type { Reachability } from "./gateway-state.ts";

export type AttestationStatus =
  | { state: "connecting" }
  | { state: "unreachable"; error: EarshotError }
  | { state: "admitted"; attestation: AttestationResult }
  | { state: "pending"; attestation: AttestationResult }
  /** `isFinal`: the node was dismissed, or refused permanently before it was ever accepted. */
  | { state: "refused"; error: EarshotError; isFinal: boolean };

export type AttestLoopContext = AttestContext & {
  clock: Clock;
  random: () => number;
  reachability: Pick<Reachability, "waitOutBackoff">;
  onStatus: (status: AttestationStatus) => void;
};

const backoffLimits = { minMs: 1_000, maxMs: 60_000 };
const minIntervalMs = 1_000;

const attestationRequested = new Error("attestation requested");
const stopReason = new Error("node stopped");

export type AttestLoop = ReturnType<typeof startAttestLoop>;

/**
 * Renews the attestation halfway through its validity, and when the gateway does not know the node.
 */
export function startAttestLoop(context: AttestLoopContext) {
  const { clock, random, reachability, onStatus } = context;
  const stopController = new AbortController();
  const waiters = new Set<(attested: AttestationResult) => void>();
  let status: AttestationStatus = { state: "connecting" };
  let sleepController = new AbortController();
  let isRequested = false;
  let wasAccepted = false;

  function currentAttestation(): AttestationResult | null {
    if (status.state !== "admitted" || isRequested) return null;
    return clock.elapsed() < status.attestation.untilMs ? status.attestation : null;
  }

  function setStatus(next: AttestationStatus): void {
    status = next;
    onStatus(next);
    const attestation = currentAttestation();
    if (attestation === null) return;
    for (const resolve of [...waiters]) resolve(attestation);
  }

  async function attest(refusals: number): Promise<number> {
    try {
      const attestation = await attestOnce(context, stopController.signal);
      stopController.signal.throwIfAborted();
      isRequested = false;
      wasAccepted = true;
      setStatus({ state: attestation.state, attestation });
      const nextMs =
        attestation.state === "pending" ? attestation.againMs : attestation.validMs / 2;
      // Jitter for nodes that started together.
      return nextMs * (0.9 + random() * 0.1);
    } catch (thrown) {
      stopController.signal.throwIfAborted();
      const error = asEarshotError(thrown);
      if (!isUnreachable(error)) {
        const isFinal = isDismissal(error) || (!wasAccepted && isPermanent(error));
        setStatus({ state: "refused", error, isFinal });
        return backoffMs(refusals, backoffLimits, random);
      }
      // The attestation stays valid; `reachability` backs off.
      if (currentAttestation() === null) setStatus({ state: "unreachable", error });
      return 0;
    }
  }

  async function run(): Promise<void> {
    for (let refusals = 0; ; refusals = status.state === "refused" ? refusals + 1 : 0) {
      await reachability.waitOutBackoff(Number.POSITIVE_INFINITY, stopController.signal);
      const startedMs = clock.elapsed();
      const pauseMs = await attest(refusals);
      if (pauseMs === 0) continue;
      // The attestation covers requests made while it ran.
      sleepController = new AbortController();
      const signal = AbortSignal.any([stopController.signal, sleepController.signal]);
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      await clock.sleep(
        Math.max(0, startedMs + minIntervalMs - clock.elapsed()),
        stopController.signal,
      );
    }
  }

  run().catch((error: unknown) => {
    if (!stopController.signal.aborted) throw error;
  });

  return {
    status: (): AttestationStatus => status,
    admitted: currentAttestation,
    /** Null if not admitted within `waitMs`. */
    whenAdmitted: async (
      waitMs: number,
      signal?: AbortSignal,
    ): Promise<AttestationResult | null> => {
      signal?.throwIfAborted();
      const attestation = currentAttestation();
      if (attestation !== null) return attestation;
      const next = await firstValue<AttestationResult>(clock, waitMs, signal, (resolve) => {
        waiters.add(resolve);
        return () => waiters.delete(resolve);
      });
      signal?.throwIfAborted();
      return next;
    },
    /** Attests again, unless the node has attested since the request at `sentMs`, which was refused as unknown. */
    attestAgain: (sentMs: number): void => {
      if (status.state === "admitted" && sentMs < status.attestation.atMs) return;
      isRequested = true;
      sleepController.abort(attestationRequested);
    },
    stop: (): void => stopController.abort(stopReason),
  };
}

/** Still retried if the node was ever accepted: an operator may fix the cause. */
function isPermanent({ code, status, details }: EarshotError): boolean {
  if (code === "evidence_unavailable") return true;
  if (details.some((detail) => detail.code.startsWith("challenge_"))) return false;
  return status === 400 || status === 403 || status === 404;
}

function asEarshotError(error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  return new EarshotError("attestation_failed", errorMessage(error), { cause: error });
}
