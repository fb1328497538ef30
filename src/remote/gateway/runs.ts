import type { Clock } from "../../lib/clock.ts";
import type { Release } from "../evidence/release-rules.ts";
import type { Attestation } from "../proof/read-proof.ts";
import type { AnswerKey } from "../protocol/encrypted-answer.ts";
import { nodeUnauthorized } from "../protocol/errors.ts";
import type { GatewayWork, NodeQueue } from "./context.ts";

export type OpenLease = {
  readonly run: Run;
  readonly job: string;
  readonly token: string;
  readonly work: GatewayWork;
  /** The request text that the answer's signature must cover. */
  readonly request: string;
  readonly answerKey: AnswerKey;
  readonly encryptedMs: number;
  completing: Promise<void> | null;
};

export type AttestedRun = {
  nodeId: string;
  keyId: string;
  attestation: Attestation;
  releases: readonly Release[];
  challenge: number;
  validMs: number;
};

export type Run = ReturnType<typeof makeRun>;

/** `…Ms` are `elapsed` times, except `connectedMs`. */
const makeRun = ({ nodeId, keyId, attestation: { statement } }: AttestedRun) => ({
  nodeId,
  keyId,
  signingKey: statement.signing_key,
  encryptionKey: statement.sealing_key,
  /** First attestation, in Unix milliseconds. */
  connectedMs: Number.POSITIVE_INFINITY as number,
  attestations: new Map<string, Attestation>(),
  evidence: statement.evidence,
  releases: [] as readonly Release[],
  challenge: 0,
  untilMs: 0,
  lastRequestMs: 0,
  nonces: new Map<string, number>(),
  leases: new Map<string, OpenLease>(),
  sending: 0,
  polls: 0,
  demand: new Map<string, { open: number; max: number; endedMs: number }>(),
  requests: new Map<string, Parameters<NodeQueue["lease"]>[0]>(),
  dispatchedMs: [] as number[],
  isPaced: false,
  /** Aborts when the run is replaced, removed or leaves. */
  ended: new AbortController(),
});

const maxAttestations = 16;
const maxReplaced = 32;

export type Runs = ReturnType<typeof createRuns>;

export function createRuns(clock: Clock) {
  const byKey = new Map<string, Run>();
  const byNode = new Map<string, Run>();
  const replacedKeys = new Map<string, string[]>();

  const isLive = (run: Run): boolean =>
    byKey.get(run.keyId) === run && run.untilMs > clock.elapsed();

  function end(run: Run): void {
    if (byKey.get(run.keyId) === run) byKey.delete(run.keyId);
    if (byNode.get(run.nodeId) === run) byNode.delete(run.nodeId);
    run.ended.abort(keysEnded);
  }

  function extend(run: Run, { attestation, releases, validMs, challenge }: AttestedRun): void {
    run.attestations.set(attestation.id, attestation);
    const [oldest = ""] = run.attestations.keys();
    if (run.attestations.size > maxAttestations) run.attestations.delete(oldest);
    run.evidence = attestation.statement.evidence;
    run.releases = releases;
    run.connectedMs = Math.min(run.connectedMs, clock.now());
    // Concurrent verifications may finish out of order.
    run.challenge = Math.max(run.challenge, challenge);
    run.untilMs = Math.max(run.untilMs, clock.elapsed() + validMs);
    run.lastRequestMs = clock.elapsed();
  }

  return {
    get: (keyId: string): Run | undefined => byKey.get(keyId),
    ofNode: (nodeId: string): Run | undefined => byNode.get(nodeId),
    all: (): Iterable<Run> => byKey.values(),
    isLive,
    end,

    /** Errors: `node_unauthorized`. */
    requireLive: (run: Run): void => {
      if (isLive(run)) return;
      throw nodeUnauthorized("attestation_ended", "the node's attestation has expired");
    },

    /** True if another run has replaced this one, or attested with a later challenge. */
    isReplaced: (run: Pick<AttestedRun, "nodeId" | "keyId" | "challenge">): boolean => {
      if (replacedKeys.get(run.nodeId)?.includes(run.keyId)) return true;
      const current = byNode.get(run.nodeId);
      return (
        current !== undefined && current.keyId !== run.keyId && current.challenge > run.challenge
      );
    },

    admit: (attested: AttestedRun): { run: Run; replaced: Run | null } => {
      const before = byNode.get(attested.nodeId) ?? null;
      const isSame = before?.keyId === attested.keyId;
      if (before !== null && !isSame) {
        const keys = replacedKeys.get(before.nodeId) ?? [];
        replacedKeys.set(before.nodeId, [...keys, before.keyId].slice(-maxReplaced));
        end(before);
      }
      const run = isSame ? before : makeRun(attested);
      byKey.set(run.keyId, run);
      byNode.set(run.nodeId, run);
      extend(run, attested);
      return { run, replaced: isSame ? null : before };
    },
  };
}

/** Shared, because each abort without a reason creates an exception. */
const keysEnded = new Error("the keys of the run are no longer valid");
