import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import { firstOf } from "../../lib/first-of.ts";
import { type AttestContext, type Attested, attestOnce } from "./attest.ts";
import { isDismissal } from "./dismissal.ts";
import { isUnreachable } from "./gateway-errors.ts";
import type { Reachability } from "./gateway-state.ts";

/** The status of a node at its gateway. */
export type NodeStatus =
  /** No answer yet, or none since the last attestation. */
  | { state: "connecting" }
  | { state: "unreachable"; error: EarshotError }
  | { state: "admitted"; attested: Attested }
  | { state: "pending"; attested: Attested }
  /** `isFinal`: dismissed for good, or refused for a lasting reason before it was ever accepted. */
  | { state: "refused"; error: EarshotError; isFinal: boolean };

/** Keeps a node attested: after half of the validity of an attestation, and at once when the gateway does not know it. */
export type AttestLoop = {
  status(): NodeStatus;
  /** The valid attestation; null without one. */
  admitted(): Attested | null;
  /** The same as soon as there is one; null when none came within `waitMs`. Rejects with the signal's reason. */
  whenAdmitted(waitMs: number, signal?: AbortSignal): Promise<Attested | null>;
  /** A request sent at `sentMs`, elapsed time, was refused as unknown: attests again, unless the node has done so since. */
  again(sentMs: number): void;
  /** An attestation in progress has no effect. */
  stop(): void;
};

export type AttestLoopContext = AttestContext & {
  clock: Clock;
  random: () => number;
  reachability: Pick<Reachability, "turn">;
  /** Called for each change of the status and for each attestation. */
  onStatus: (status: NodeStatus) => void;
};

/** Pauses after a refusal. */
const pauses = { leastMs: 1_000, mostMs: 60_000 };
/** Shortest time between two attestations. */
const leastMs = 1_000;

const woken = new Error("the node attests at once");
const stopped = new Error("the node stops");

export function startAttestLoop(context: AttestLoopContext): AttestLoop {
  const { clock, random, reachability, onStatus } = context;
  const stopping = new AbortController();
  const waiting = new Set<(attested: Attested) => void>();
  let status: NodeStatus = { state: "connecting" };
  let sleeping = new AbortController();
  let isRequested = false;
  let wasAccepted = false;

  function admitted(): Attested | null {
    if (status.state !== "admitted" || isRequested) return null;
    return clock.elapsed() < status.attested.untilMs ? status.attested : null;
  }

  function become(next: NodeStatus): void {
    status = next;
    onStatus(next);
    const attested = admitted();
    if (attested === null) return;
    for (const give of [...waiting]) give(attested);
  }

  /** Attests once; how long until the next time. */
  async function attest(refusals: number): Promise<number> {
    try {
      const attested = await attestOnce(context, stopping.signal);
      stopping.signal.throwIfAborted();
      isRequested = false;
      wasAccepted = true;
      become({ state: attested.state, attested });
      const nextMs = attested.state === "pending" ? attested.againMs : attested.validMs / 2;
      // Nodes that were started together spread out.
      return nextMs * (0.9 + random() * 0.1);
    } catch (thrown) {
      stopping.signal.throwIfAborted();
      const error = asEarshotError(thrown);
      if (!isUnreachable(error)) {
        const isFinal = isDismissal(error) || (!wasAccepted && isLasting(error));
        become({ state: "refused", error, isFinal });
        return backoffMs(refusals, pauses, random);
      }
      // An attestation stays valid while the gateway is away; `reachability` knows how long to pause.
      if (admitted() === null) become({ state: "unreachable", error });
      return 0;
    }
  }

  async function run(): Promise<void> {
    for (let refusals = 0; ; refusals = status.state === "refused" ? refusals + 1 : 0) {
      await reachability.turn(Number.POSITIVE_INFINITY, stopping.signal);
      const begunMs = clock.elapsed();
      const pauseMs = await attest(refusals);
      if (pauseMs === 0) continue;
      // Requests made in the meantime are fulfilled.
      sleeping = new AbortController();
      const signal = AbortSignal.any([stopping.signal, sleeping.signal]);
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      await clock.sleep(Math.max(0, begunMs + leastMs - clock.elapsed()), stopping.signal);
    }
  }

  run().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  return {
    status: () => status,
    admitted,
    whenAdmitted: async (waitMs, signal) => {
      signal?.throwIfAborted();
      const attested = admitted();
      if (attested !== null) return attested;
      const next = await firstOf<Attested>(clock, waitMs, signal, (give) => {
        waiting.add(give);
        return () => waiting.delete(give);
      });
      signal?.throwIfAborted();
      return next;
    },
    again: (sentMs) => {
      if (status.state === "admitted" && sentMs < status.attested.atMs) return;
      isRequested = true;
      sleeping.abort(woken);
    },
    stop: () => stopping.abort(stopped),
  };
}

/** Neither a transient error nor a lost challenge. Of a node that was accepted, an operator may still repair it. */
function isLasting({ code, status, details }: EarshotError): boolean {
  if (code === "evidence_unavailable") return true;
  if (details.some((detail) => detail.code.startsWith("challenge_"))) return false;
  return status === 400 || status === 403 || status === 404;
}

function asEarshotError(error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  return new EarshotError("attestation_failed", messageOf(error), { cause: error });
}
