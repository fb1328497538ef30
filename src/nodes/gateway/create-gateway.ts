import { messageOf } from "../../lib/errors.ts";
import { signGatewayAnswer } from "../protocol/gateway-answer.ts";
import { readSignedRequest } from "../protocol/signed-request.ts";
import { createAnswers } from "./answers.ts";
import { createAttempts } from "./attempts.ts";
import { createChallenges } from "./challenges.ts";
import type { NodeGatewayContext } from "./context.ts";
import { createDispatch } from "./dispatch.ts";
import { createEligibility } from "./eligibility.ts";
import { enter } from "./entry.ts";
import { createFailures } from "./failures.ts";
import { nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import type { NodeGateway, NodeSession, SignedRequest } from "./gateway.ts";
import { createKnownNodes, type StandChange } from "./known-nodes.ts";
import { createNodeDiary } from "./node-diary.ts";
import { viewOf } from "./node-views.ts";
import { createOpenLeases } from "./open-leases.ts";
import { createRegistrationBodies } from "./registration-bodies.ts";
import { createRegistrations } from "./registrations.ts";
import { createSessions, type Session } from "./sessions.ts";
import { createSpotChecks } from "./spot-checks.ts";
import { createSpotLine } from "./spot-line.ts";
import { createStrikes } from "./strikes.ts";
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
  const checks = createSpotLine();
  const diary = createNodeDiary(clock, log);
  const challenges = createChallenges(context);
  const attempts = createAttempts(settings.attemptsPerMinute);
  const bodies = createRegistrationBodies(settings.maxRegistrations);
  const strikes = createStrikes({ ...context, known, diary });
  const failures = createFailures(clock, strikes.noteFailures);
  const eligibility = createEligibility({ ...context, known, sessions, open, failures });
  const dispatch = createDispatch({
    ...context,
    known,
    sessions,
    open,
    eligibility,
    checks,
    stopping: stopping.signal,
    onUnusable: (session) => {
      strikes.noteAnswer(session.nodeId, "key_unusable: nothing can be sealed to its key");
      void endRun(session);
    },
    onUnsealed: (session, check) => spotChecks.settle(check, session.nodeId, null),
  });
  const spotChecks = createSpotChecks({
    ...context,
    sessions,
    open,
    checks,
    diary,
    onCheck: dispatch.offerCheck,
  });
  const answers = createAnswers({
    ...context,
    known,
    sessions,
    open,
    strikes,
    failures,
    spotChecks,
  });
  const register = createRegistrations({
    ...context,
    known,
    sessions,
    challenges,
    diary,
    onAdmitted: async (_session, replaced) => {
      if (replaced !== null) await endReplaced(replaced);
      queue.wakeNodes();
    },
  });
  const watch = createWatch({
    ...context,
    known,
    sessions,
    spotChecks,
    strikes,
    diary,
    onChange,
    onSilent: (session) => void endRun(session),
  });

  function onChange({ before, after }: StandChange): void {
    log.info({ node: before.id, state: after?.state ?? "forgotten" }, "a node was changed");
    if (after !== null && after.state !== "removed") return;
    strikes.forget(before.id);
    failures.forget(before.id);
    const session = sessions.ofNode(before.id);
    if (session !== undefined) void endRun(session);
  }

  async function endReplaced(session: Session): Promise<void> {
    if (open.of(session).some(({ handingIn }) => handingIn === null)) {
      strikes.noteStartedAnew(session.nodeId);
    }
    spotChecks.fail(session);
    await takeBack(session, queue.failLeasesOf);
  }

  async function endRun(session: Session): Promise<void> {
    sessions.end(session);
    spotChecks.passOn(session);
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

  function allow(address: string): void {
    if (attempts.allows(context.groupOf(address), clock.elapsed())) return;
    throw tooManyAttempts("too many challenges and registrations from this address");
  }

  /** A run that is attested attests again, one registration at a time: whoever floods the gateway does not keep it from that. */
  function runThatSigned(request: SignedRequest): Session | undefined {
    const sender = readSignedRequest(request);
    const session = sessions.get(sender.keyId);
    return session !== undefined && sender.isSignedBy(session.signingKey) ? session : undefined;
  }

  function beginOf(run: Session): () => void {
    run.isRegistering = true;
    return () => {
      run.isRegistering = false;
    };
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
    challenge: (address) => {
      allow(address);
      return {
        nonce: challenges.open(),
        audience: settings.audience,
        gateway_key: gatewayKey.publicKey,
        expires_in_ms: settings.challengeMs,
        now_ms: clock.now(),
      };
    },
    beginRegistration: (request, address) => {
      const run = runThatSigned(request);
      if (run !== undefined && !run.isRegistering) return beginOf(run);
      allow(address);
      return bodies.begin(context.groupOf(address));
    },
    register,
    enter: (request) => {
      const holdsLeases = (session: Session) => open.of(session).length > 0;
      return enter(request, { sessions, clock, clockSkewMs: settings.clockSkewMs, holdsLeases });
    },
    lease: async (session, asked, signal) => await dispatch.lease(runOf(session), asked, signal),
    renew: async (session, job, token) => await answers.renew(runOf(session), job, token),
    beginAnswer: (session) => answers.begin(runOf(session)),
    complete: async (session, answer) => await answers.complete(runOf(session), answer),
    fail: async (session, answer) => await answers.fail(runOf(session), answer),
    leave: async (session) => {
      const run = runOf(session);
      diary.note(run.nodeId, "left", `run ${run.keyId}`);
      await endRun(run);
    },
    leaseLapsed: strikes.noteLapse,
    jobLate: strikes.noteLate,
    jobAnswered: failures.noteDone,
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
