import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import { firstOf } from "../../lib/first-of.ts";
import { type AttestContext, type Attested, attestOnce } from "./attest.ts";
import { isUnreachable } from "./gateway-faults.ts";
import type { Reachability } from "./reachability.ts";

/** How a node stands with its gateway. */
export type Standing =
  /** It has not heard of the gateway since it attested last, if it ever did. */
  | { state: "connecting" }
  | { state: "unreachable"; fault: EarshotError }
  | { state: "admitted"; attested: Attested }
  | { state: "pending"; attested: Attested }
  /** `isFinal`: nothing that the node does by itself will change that. */
  | { state: "refused"; fault: EarshotError; isFinal: boolean };

/** Keeps a node attested: at half of the time that an attestation counts, and at once when the gateway does not know it. */
export type AttestLoop = {
  standing(): Standing;
  /** The attestation that counts; null while there is none. */
  admitted(): Attested | null;
  /** The same as soon as there is one; null when none came within `waitMs`. Rejects with the signal's reason. */
  whenAdmitted(waitMs: number, signal?: AbortSignal): Promise<Attested | null>;
  /**
   * A request that was sent at `sentMs`, elapsed time, was not taken as this node's: attests as soon as may be, unless it has
   * done so since.
   */
  again(sentMs: number): void;
  /** What is under way ends without an effect. */
  stop(): void;
};

export type AttestLoopContext = AttestContext & {
  clock: Clock;
  random: () => number;
  reachability: Pick<Reachability, "turn">;
  /** Told of each change of the standing, also of each attestation. */
  onStanding: (standing: Standing) => void;
};

/** Between two tries after one that was refused. */
const pauses = { leastMs: 1_000, mostMs: 60_000 };

/** The shortest time between two attestations, whatever a gateway says. */
const leastMs = 1_000;

const wakened = new Error("the node is to attest at once");
const stopped = new Error("the node stops");

export function startAttestLoop(context: AttestLoopContext): AttestLoop {
  const { clock, random, reachability, onStanding } = context;
  const stopping = new AbortController();
  const waiting = new Set<(attested: Attested) => void>();
  let standing: Standing = { state: "connecting" };
  let sleeping = new AbortController();
  let isWanted = false;

  function admitted(): Attested | null {
    if (standing.state !== "admitted" || isWanted) return null;
    return clock.elapsed() < standing.attested.untilMs ? standing.attested : null;
  }

  function become(next: Standing): void {
    standing = next;
    onStanding(next);
    const attested = admitted();
    if (attested === null) return;
    for (const give of [...waiting]) give(attested);
  }

  async function whenAdmitted(waitMs: number, signal?: AbortSignal): Promise<Attested | null> {
    signal?.throwIfAborted();
    const attested = admitted();
    if (attested !== null) return attested;
    const told = await firstOf<Attested>(clock, waitMs, signal, (give) => {
      waiting.add(give);
      return () => waiting.delete(give);
    });
    signal?.throwIfAborted();
    return told;
  }

  /** What came of one attestation becomes the standing; how long until the next. */
  async function attest(refusals: number): Promise<number> {
    try {
      const attested = await attestOnce(context, stopping.signal);
      stopping.signal.throwIfAborted();
      isWanted = false;
      become({ state: attested.state, attested });
      const usualMs = attested.state === "pending" ? attested.againMs : attested.validMs / 2;
      // Nodes that were started together do not all come at once.
      return usualMs * (0.9 + random() * 0.1);
    } catch (thrown) {
      stopping.signal.throwIfAborted();
      const fault = asFault(thrown);
      if (!isUnreachable(fault)) {
        become({ state: "refused", fault, isFinal: isFinal(fault) });
        return backoffMs(refusals, pauses, random);
      }
      // What counts goes on counting while the gateway is away, and how long to wait for that is known elsewhere.
      if (admitted() === null) become({ state: "unreachable", fault });
      return 0;
    }
  }

  async function run(): Promise<void> {
    for (let refusals = 0; ; refusals = standing.state === "refused" ? refusals + 1 : 0) {
      await reachability.turn(Number.POSITIVE_INFINITY, stopping.signal);
      const begunMs = clock.elapsed();
      const pauseMs = await attest(refusals);
      if (pauseMs === 0) continue;
      // Whoever asked for one meanwhile has got it.
      sleeping = new AbortController();
      const woken = AbortSignal.any([stopping.signal, sleeping.signal]);
      await clock.sleep(pauseMs, woken).catch(() => undefined);
      await clock.sleep(Math.max(0, begunMs + leastMs - clock.elapsed()), stopping.signal);
    }
  }

  run().catch((fault: unknown) => {
    if (!stopping.signal.aborted) throw fault;
  });

  return {
    standing: () => standing,
    admitted,
    whenAdmitted,
    again: (sentMs) => {
      if (standing.state === "admitted" && sentMs < standing.attested.atMs) return;
      isWanted = true;
      sleeping.abort(wakened);
    },
    stop: () => stopping.abort(stopped),
  };
}

/** What refuses a node whoever it is, for the moment or because a challenge was lost; all else stays as it is. */
function isFinal({ code, status, details }: EarshotError): boolean {
  if (code === "evidence_unavailable") return true;
  if (details.some((detail) => detail.code.startsWith("challenge_"))) return false;
  return status === 400 || status === 403 || status === 404;
}

function asFault(thrown: unknown): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  return new EarshotError("attestation_failed", messageOf(thrown), { cause: thrown });
}
