import type { Clock } from "../../lib/clock.ts";
import type { EvidenceKind } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/proof.ts";
import type { NodeSession } from "./gateway.ts";
import { createPace, createRequestMemory, type Pace, type RequestMemory } from "./limits.ts";

/**
 * The runs of nodes that have attested since this gateway started, by their keys. A node has one at a time: a run that attests
 * later takes the place of the one before, which is not let in again.
 */
export type Session = NodeSession & {
  readonly signingKey: string;
  readonly sealingKey: string;
  /** When the run attested first, Unix milliseconds; never later than the gateway's clock at its last attestation. */
  connectedMs: number;
  /** What the run was attested with, the newest last. */
  readonly attestations: Map<string, Attestation>;
  readonly requests: RequestMemory;
  readonly pace: Pace;
  /** Aborts when the keys do not count any more: replaced, removed, left. */
  readonly ended: AbortController;
  /** What it has shown last. */
  evidence: EvidenceKind;
  /** The number of the challenge that it answered last. */
  challenge: number;
  /** When its attestation ends, and when it was heard of, by the clock that only goes on. */
  untilMs: number;
  heardMs: number;
  /** Requests for work that are held for it. */
  polls: number;
  /** Whether a timer waits for its pace. */
  isPaced: boolean;
  /** Answers that it is sending. */
  answers: number;
  /** What it asks for, by method: how many requests are open, how many were at most, and when the last one ended. */
  readonly askings: Map<string, { held: number; most: number; endedMs: number }>;
};

/** A run that has just attested. */
type AttestedRun = NodeSession & {
  signingKey: string;
  sealingKey: string;
  attestation: Attestation;
  challenge: number;
  validMs: number;
};

export type Sessions = {
  get(keyId: string): Session | undefined;
  ofNode(nodeId: string): Session | undefined;
  all(): Iterable<Session>;
  /** Whether a run of the node that attested later has taken the place of these keys, or answered a later challenge. */
  isReplaced(nodeId: string, keyId: string, challenge: number): boolean;
  /** Lets a run in, or lets it stay; `replaced` is the run in whose place it comes. */
  admit(run: AttestedRun): { session: Session; replaced: Session | null };
  /** The keys do not count any more. */
  end(session: Session): void;
  /** Whether its attestation counts at this moment. */
  isLive(session: Session): boolean;
};

/** Of a run, so many attestations are remembered. */
const mostAttestations = 16;
/** Of a node, so many earlier runs are remembered. */
const mostReplaced = 32;

export function createSessions(
  clock: Clock,
  { dispatchesPerSecond }: { dispatchesPerSecond: number },
): Sessions {
  const byKey = new Map<string, Session>();
  const byNode = new Map<string, Session>();
  const replacedKeys = new Map<string, string[]>();

  function end(session: Session): void {
    if (byKey.get(session.keyId) === session) byKey.delete(session.keyId);
    if (byNode.get(session.nodeId) === session) byNode.delete(session.nodeId);
    session.ended.abort(keysEnded);
  }

  function replace(session: Session): void {
    const keys = replacedKeys.get(session.nodeId) ?? [];
    replacedKeys.set(session.nodeId, [...keys, session.keyId].slice(-mostReplaced));
    end(session);
  }

  function admit(run: AttestedRun): ReturnType<Sessions["admit"]> {
    const before = byNode.get(run.nodeId);
    if (before?.keyId === run.keyId) {
      renew(before, run);
      return { session: before, replaced: null };
    }
    if (before !== undefined) replace(before);
    const session: Session = {
      nodeId: run.nodeId,
      keyId: run.keyId,
      signingKey: run.signingKey,
      sealingKey: run.sealingKey,
      evidence: run.attestation.statement.evidence,
      connectedMs: clock.now(),
      attestations: new Map(),
      requests: createRequestMemory(),
      pace: createPace(dispatchesPerSecond, clock),
      ended: new AbortController(),
      challenge: run.challenge,
      untilMs: 0,
      heardMs: 0,
      polls: 0,
      isPaced: false,
      answers: 0,
      askings: new Map(),
    };
    byKey.set(run.keyId, session);
    byNode.set(run.nodeId, session);
    renew(session, run);
    return { session, replaced: before ?? null };
  }

  function renew(session: Session, { attestation, validMs, challenge }: AttestedRun): void {
    session.attestations.set(attestation.id, attestation);
    session.evidence = attestation.statement.evidence;
    session.connectedMs = Math.min(session.connectedMs, clock.now());
    for (const id of session.attestations.keys()) {
      if (session.attestations.size <= mostAttestations) break;
      session.attestations.delete(id);
    }
    // Of two that were verified at a time the one that ends later is no older news.
    session.challenge = Math.max(session.challenge, challenge);
    session.untilMs = Math.max(session.untilMs, clock.elapsed() + validMs);
    session.heardMs = clock.elapsed();
  }

  return {
    get: (keyId) => byKey.get(keyId),
    ofNode: (nodeId) => byNode.get(nodeId),
    all: () => byKey.values(),
    isReplaced: (nodeId, keyId, challenge) => {
      if (replacedKeys.get(nodeId)?.includes(keyId)) return true;
      const current = byNode.get(nodeId);
      return current !== undefined && current.keyId !== keyId && current.challenge > challenge;
    },
    admit,
    end,
    isLive: (session) => byKey.get(session.keyId) === session && session.untilMs > clock.elapsed(),
  };
}

/** Why what is held for a run ends; one for all, as an abort without a reason makes an exception each time. */
const keysEnded = new Error("the keys of the run do not count any more");
