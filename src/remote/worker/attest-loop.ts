import { firstValue } from "../../lib/abortable-wait.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { isDismissal } from "../protocol/errors.ts";
import { type AttestContext, type Attested, attestOnce } from "./attest.ts";
import { isUnreachable } from "./gateway-errors.ts";
import type { Reachability } from "./gateway-state.ts";

export type AttestationStatus =
  | { state: "connecting" }
  | { state: "unreachable"; error: EarshotError }
  | { state: "admitted"; attested: Attested }
  | { state: "pending"; attested: Attested }
  /** `isFinal`: the node was dismissed, or refused permanently before it was ever accepted. */
  | { state: "refused"; error: EarshotError; isFinal: boolean };

export type AttestLoopContext = AttestContext & {
  clock: Clock;
  random: () => number;
  reachability: Pick<Reachability, "waitOutBackoff">;
  onStatus: (status: AttestationStatus) => void;
};

const pauses = { minMs: 1_000, maxMs: 60_000 };
const minIntervalMs = 1_000;

const attestationRequested = new Error("attestation requested");
const stopped = new Error("node stopped");

export type AttestLoop = ReturnType<typeof startAttestLoop>;

/**
 * Renews the attestation halfway through its validity, and when the gateway does not know the node.
 */
export function startAttestLoop(context: AttestLoopContext) {
  const { clock, random, reachability, onStatus } = context;
  const stopping = new AbortController();
  const waiting = new Set<(attested: Attested) => void>();
  let status: AttestationStatus = { state: "connecting" };
  let sleeping = new AbortController();
  let isRequested = false;
  let wasAccepted = false;

  function admitted(): Attested | null {
    if (status.state !== "admitted" || isRequested) return null;
    return clock.elapsed() < status.attested.untilMs ? status.attested : null;
  }

  function setStatus(next: AttestationStatus): void {
    status = next;
    onStatus(next);
    const attested = admitted();
    if (attested === null) return;
    for (const resolve of [...waiting]) resolve(attested);
  }

  async function attest(refusals: number): Promise<number> {
    try {
      const attested = await attestOnce(context, stopping.signal);
      stopping.signal.throwIfAborted();
      isRequested = false;
      wasAccepted = true;
      setStatus({ state: attested.state, attested });
      const nextMs = attested.state === "pending" ? attested.againMs : attested.validMs / 2;
      // Jitter for nodes that started together.
      return nextMs * (0.9 + random() * 0.1);
    } catch (thrown) {
      stopping.signal.throwIfAborted();
      const error = asEarshotError(thrown);
      if (!isUnreachable(error)) {
        const isFinal = isDismissal(error) || (!wasAccepted && isPermanent(error));
        setStatus({ state: "refused", error, isFinal });
        return backoffMs(refusals, pauses, random);
      }
      // The attestation stays valid; `reachability` backs off.
      if (admitted() === null) setStatus({ state: "unreachable", error });
      return 0;
    }
  }

  async function run(): Promise<void> {
    for (let refusals = 0; ; refusals = status.state === "refused" ? refusals + 1 : 0) {
      await reachability.waitOutBackoff(Number.POSITIVE_INFINITY, stopping.signal);
      const startedMs = clock.elapsed();
      const pauseMs = await attest(refusals);
      if (pauseMs === 0) continue;
      // Also covers requests that were made during the attestation.
      sleeping = new AbortController();
      const signal = AbortSignal.any([stopping.signal, sleeping.signal]);
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      await clock.sleep(Math.max(0, startedMs + minIntervalMs - clock.elapsed()), stopping.signal);
    }
  }

  run().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  return {
    status: (): AttestationStatus => status,
    admitted,
    /** Null if not admitted within `waitMs`. */
    whenAdmitted: async (waitMs: number, signal?: AbortSignal): Promise<Attested | null> => {
      signal?.throwIfAborted();
      const attested = admitted();
      if (attested !== null) return attested;
      const next = await firstValue<Attested>(clock, waitMs, signal, (resolve) => {
        waiting.add(resolve);
        return () => waiting.delete(resolve);
      });
      signal?.throwIfAborted();
      return next;
    },
    /** Attests again, unless the node has attested since the request at `sentMs`, which was refused as unknown. */
    attestAgain: (sentMs: number): void => {
      if (status.state === "admitted" && sentMs < status.attested.atMs) return;
      isRequested = true;
      sleeping.abort(attestationRequested);
    },
    stop: (): void => stopping.abort(stopped),
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
