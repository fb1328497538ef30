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
  pendingCompletion: Promise<void> | null;
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
  validUntilMs: 0,
  lastRequestMs: 0,
  nonces: new Map<string, number>(),
  leases: new Map<string, OpenLease>(),
  openUploads: 0,
  openLeaseRequests: 0,
  demand: new Map<string, { open: number; max: number; endedAtMs: number }>(),
  leaseRequests: new Map<string, Parameters<NodeQueue["lease"]>[0]>(),
  dispatchTimesMs: [] as number[],
  isPaced: false,
  endController: new AbortController(),
});

const maxAttestations = 16;
const maxReplacedKeys = 32;

export type Runs = ReturnType<typeof createRuns>;

export function createRuns(clock: Clock) {
  const runsByKey = new Map<string, Run>();
  const runsByNode = new Map<string, Run>();
  const replacedKeys = new Map<string, string[]>();

  const isLive = (run: Run): boolean =>
    runsByKey.get(run.keyId) === run && run.validUntilMs > clock.elapsed();

  function end(run: Run): void {
    if (runsByKey.get(run.keyId) === run) runsByKey.delete(run.keyId);
    if (runsByNode.get(run.nodeId) === run) runsByNode.delete(run.nodeId);
    run.endController.abort(keysEnded);
  }

  function extend(run: Run, { attestation, releases, validMs, challenge }: AttestedRun): void {
    run.attestations.set(attestation.id, attestation);
    const [oldestId = ""] = run.attestations.keys();
    if (run.attestations.size > maxAttestations) run.attestations.delete(oldestId);
    run.evidence = attestation.statement.evidence;
    run.releases = releases;
    run.connectedMs = Math.min(run.connectedMs, clock.now());
    // Concurrent verifications may finish out of order.
    run.challenge = Math.max(run.challenge, challenge);
    run.validUntilMs = Math.max(run.validUntilMs, clock.elapsed() + validMs);
    run.lastRequestMs = clock.elapsed();
  }

  return {
    get: (keyId: string): Run | undefined => runsByKey.get(keyId),
    ofNode: (nodeId: string): Run | undefined => runsByNode.get(nodeId),
    all: (): Iterable<Run> => runsByKey.values(),
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
      const currentRun = runsByNode.get(run.nodeId);
      return (
        currentRun !== undefined &&
        currentRun.keyId !== run.keyId &&
        currentRun.challenge > run.challenge
      );
    },

    admit: (attestedRun: AttestedRun): { run: Run; replacedRun: Run | null } => {
      const previousRun = runsByNode.get(attestedRun.nodeId) ?? null;
      const isSameRun = previousRun?.keyId === attestedRun.keyId;
      if (previousRun !== null && !isSameRun) {
        const keys = replacedKeys.get(previousRun.nodeId) ?? [];
        replacedKeys.set(previousRun.nodeId, [...keys, previousRun.keyId].slice(-maxReplacedKeys));
        end(previousRun);
      }
      const run = isSameRun ? previousRun : makeRun(attestedRun);
      runsByKey.set(run.keyId, run);
      runsByNode.set(run.nodeId, run);
      extend(run, attestedRun);
      return { run, replacedRun: isSameRun ? null : previousRun };
    },
  };
}

/** Shared, because each abort without a reason creates an exception. */
const keysEnded = new Error("the keys of the run are no longer valid");
