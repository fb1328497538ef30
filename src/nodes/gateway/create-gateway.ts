import { messageOf } from "../../lib/errors.ts";
import { enrolmentField, isEnrolmentProof } from "../protocol/enrolment.ts";
import { signGatewayAnswer } from "../protocol/gateway-answer.ts";
import { createAnswers } from "./answers.ts";
import { createChallenges } from "./challenges.ts";
import type { NodeGatewayContext } from "./context.ts";
import { createDispatch } from "./dispatch.ts";
import { createEligibility } from "./eligibility.ts";
import { enter } from "./entry.ts";
import { nodeRefused, nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import type { NodeGateway, NodeSession, SignedRequest } from "./gateway.ts";
import { createKnownNodes, type StandChange } from "./known-nodes.ts";
import { createAttempts } from "./limits.ts";
import { createNodeEvents } from "./node-events.ts";
import { viewOf } from "./node-views.ts";
import { createOpenLeases } from "./open-leases.ts";
import { createPenalties } from "./penalties.ts";
import { createRegistrations } from "./registrations.ts";
import { createSessions, type Session } from "./sessions.ts";
import { createWatch } from "./watch.ts";

export type { NodeGatewayContext } from "./context.ts";

/** The gateway of remote nodes, and what the queue tells it. */
export type CreatedNodeGateway = NodeGateway & {
  /** The lease of a job lapsed that this node held. */
  leaseLapsed(nodeId: string): void;
  /** The time of a job was over while this node held it. */
  jobLate(nodeId: string): void;
  /** A node answered the job that is none of this gateway's. */
  jobAnswered(nodeId: string, job: string): void;
};

/**
 * Makes the gateway of remote nodes. It costs next to nothing until a node comes: what verifies quotes and seals jobs is loaded
 * where it is used first.
 */
export function createNodeGateway(context: NodeGatewayContext): CreatedNodeGateway {
  const { settings, store, queue, clock, log, gatewayKey } = context;
  const stopping = new AbortController();
  const known = createKnownNodes();
  const sessions = createSessions(clock, settings);
  const open = createOpenLeases();
  const events = createNodeEvents(clock, log);
  const challenges = createChallenges(context);
  const challengesOf = createAttempts(600);
  const penalties = createPenalties({ ...context, known, events });
  const eligibility = createEligibility({ ...context, known, sessions, penalties });
  const lease = createDispatch({
    ...context,
    known,
    sessions,
    open,
    eligibility,
    stopping: stopping.signal,
    onUnusable: (session) => {
      penalties.noteAnswer(session.nodeId, "key_unusable: nothing can be sealed to its key");
      void endRun(session);
    },
  });
  const answers = createAnswers({
    ...context,
    known,
    sessions,
    open,
    penalties,
  });
  const register = createRegistrations({
    ...context,
    known,
    sessions,
    challenges,
    events,
    onAdmitted: async (_session, replaced) => {
      if (replaced !== null) await endReplaced(replaced);
      queue.wakeNodes();
    },
  });
  const watch = createWatch({
    ...context,
    known,
    sessions,
    penalties,
    events,
    onChange,
    onSilent: (session) => void endRun(session),
  });

  function onChange({ before, after }: StandChange): void {
    log.info({ node: before.id, state: after?.state ?? "forgotten" }, "a node was changed");
    if (after !== null && after.state !== "removed") return;
    penalties.forget(before.id);
    const session = sessions.ofNode(before.id);
    if (session !== undefined) void endRun(session);
  }

  async function endReplaced(session: Session): Promise<void> {
    if (open.of(session).some(({ handingIn }) => handingIn === null)) {
      penalties.noteStall(session.nodeId, "restarted");
    }
    await takeBack(session, queue.failLeasesOf);
  }

  async function endRun(session: Session): Promise<void> {
    sessions.end(session);
    await takeBack(session, queue.endLeasesOf);
  }

  /** What a run held that is gone goes to others. */
  async function takeBack(
    session: Session,
    take: (nodeId: string) => Promise<unknown>,
  ): Promise<void> {
    open.dropOf(session);
    try {
      await take(session.nodeId);
    } catch (error) {
      // They lapse by themselves.
      log.warn({ error: messageOf(error) }, "the jobs of a node could not be taken back");
    }
    queue.wakeNodes();
  }

  function requireEnrolled({ headers }: Pick<SignedRequest, "headers">, address: string): void {
    const proof = headers[enrolmentField] ?? "";
    const input = headers["signature-input"] ?? "";
    if (input !== "" && isEnrolmentProof(proof, context.enrolmentToken, input)) return;
    const code = "not_enrolled";
    const message = "the node does not show the enrolment token of this gateway";
    events.noteRefusal({ nodeId: null, address, code, message });
    context.onRegistration?.("refused");
    throw nodeRefused(
      code,
      message,
      "set EARSHOT_NODE_ENROLMENT_TOKEN at the node to what `earshot nodes enroll` prints at the gateway",
    );
  }

  function runOf({ keyId }: NodeSession): Session {
    const session = sessions.get(keyId);
    if (session !== undefined) return session;
    throw nodeUnauthorized("unknown_key", "the keys of this run do not count any more");
  }

  return {
    policy: () => ({
      id: context.verifier.policyId,
      audience: settings.audience,
      gateway_key: gatewayKey.publicKey,
      evidence: settings.evidence,
      quotes: context.policy,
    }),
    signAnswer: (answer) => signGatewayAnswer(answer, gatewayKey),
    requireEnrolled,
    challenge: (address) => {
      if (!challengesOf.allows(context.groupOf(address), clock.elapsed())) {
        throw tooManyAttempts("too many challenges for this address");
      }
      return {
        nonce: challenges.open(),
        audience: settings.audience,
        gateway_key: gatewayKey.publicKey,
        expires_in_ms: settings.challengeMs,
        now_ms: clock.now(),
      };
    },
    register,
    enter: (request) => {
      const holdsLeases = (session: Session) => open.of(session).length > 0;
      return enter(request, { sessions, clock, clockSkewMs: settings.clockSkewMs, holdsLeases });
    },
    lease: async (session, asked, signal) => await lease(runOf(session), asked, signal),
    renew: async (session, job, token) => await answers.renew(runOf(session), job, token),
    beginAnswer: (session) => answers.begin(runOf(session)),
    complete: async (session, answer) => await answers.complete(runOf(session), answer),
    fail: async (session, answer) => await answers.fail(runOf(session), answer),
    leave: async (session) => {
      const run = runOf(session);
      events.note(run.nodeId, "left", `run ${run.keyId}`);
      await endRun(run);
    },
    leaseLapsed: (nodeId) => penalties.noteStall(nodeId, "lease_lapsed"),
    jobLate: (nodeId) => penalties.noteStall(nodeId, "job_late"),
    jobAnswered: penalties.noteDone,
    nodes: () =>
      [...known.all()]
        .filter(({ state }) => state !== "removed")
        .toSorted((one, other) => one.createdMs - other.createdMs)
        .map((record) => viewOf(record, { clock, sessions, eligibility })),
    attestation: async (id) => await store.read("attestation", { id, nowMs: clock.now() }),
    start: async () => {
      for (const record of await store.read("nodes", null)) known.put(record);
      watch.start();
    },
    stop: async () => {
      stopping.abort();
      await watch.stop();
    },
  };
}
