import { messageOf } from "../../lib/errors.ts";
import { type LeaseFailure, leaseLost } from "../lease.ts";
import type { SealedAnswer } from "../protocol/messages.ts";
import { readFailure } from "../protocol/work.ts";
import type { NodeGatewayContext } from "./context.ts";
import { answerRefused, checkOf, isLeaseLost, nodeUnauthorized, noJobHeld } from "./faults.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { OpenLease, OpenLeases } from "./open-leases.ts";
import type { Penalties } from "./penalties.ts";
import type { Session, Sessions } from "./sessions.ts";
import { signedAnswerOf } from "./signed-answer.ts";

/** Takes what runs hand in: of leases that they hold, signed by the keys that were attested. */
export type Answers = {
  /** Errors: `lease_lost`, `node_unauthorized`. */
  renew(session: Session, job: string, token: string): Promise<number>;
  /** What to call when the answer has been sent. Errors: `lease_lost` when there is no job left that it could belong to. */
  begin(session: Session): () => void;
  /** Errors: `lease_lost`; `node_answer_refused`, after which the job runs again. */
  complete(session: Session, answer: SealedAnswer): Promise<void>;
  fail(session: Session, answer: SealedAnswer): Promise<void>;
};

type AnswersContext = Pick<
  NodeGatewayContext,
  "settings" | "queue" | "clock" | "log" | "onRefusedAnswer"
> & {
  known: KnownNodes;
  sessions: Sessions;
  open: OpenLeases;
  penalties: Penalties;
};

export function createAnswers(context: AnswersContext): Answers {
  const { queue, known, sessions, open, penalties } = context;

  function heldLease(session: Session, job: string, token: string): OpenLease {
    const lease = open.find(session, job, token);
    if (lease === undefined) throw leaseLost(job);
    return lease;
  }

  async function renew(session: Session, job: string, token: string): Promise<number> {
    if (!sessions.isLive(session)) {
      throw nodeUnauthorized("attestation_ended", "the attestation of the node has ended");
    }
    heldLease(session, job, token);
    return await queue.renew(job, token);
  }

  /** One at a time for each lease: what comes second waits, and is `lease_lost` once the first was taken. */
  async function handIn(
    session: Session,
    { job, token }: SealedAnswer,
    take: (lease: OpenLease) => Promise<void>,
  ): Promise<void> {
    const lease = heldLease(session, job, token);
    const before = lease.handingIn;
    if (before !== null) {
      await before;
      throw leaseLost(job);
    }
    lease.handingIn = take(lease);
    try {
      await lease.handingIn;
      open.drop(lease);
    } catch (error) {
      // What could not be written may be handed in again.
      lease.handingIn = null;
      if (isLeaseLost(error)) open.drop(lease);
      throw error;
    }
  }

  async function takeAnswer(lease: OpenLease, sealed: SealedAnswer): Promise<void> {
    const { session, job, token } = lease;
    const answer = await readOrRefuse(
      lease,
      async () => await signedAnswerOf(lease, lease.opener.open(sealed), context),
    );
    await queue.complete(job, token, answer);
    known.noteEnd(session.nodeId, "done");
    penalties.noteDone(session.nodeId, job);
  }

  async function takeFailure(lease: OpenLease, sealed: SealedAnswer): Promise<void> {
    const { session, job, token, work } = lease;
    const said = await readOrRefuse(lease, async () => readFailure(lease.opener.open(sealed)));
    const node = known.get(session.nodeId);
    if (node === undefined) throw leaseLost(job);
    await queue.fail(job, token, penalties.noteFailure(node, job, said, work));
    known.noteEnd(session.nodeId, "failed");
  }

  /** What cannot be read, or is not what was asked for, is a strike: the job runs again, elsewhere if it can. */
  async function readOrRefuse<Value>(
    lease: OpenLease,
    readSealed: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await readSealed();
    } catch (error) {
      const { code, message } = checkOf(error);
      const { session, job, token } = lease;
      context.onRefusedAnswer?.(code);
      penalties.noteAnswer(session.nodeId, `${code}: ${message} (job ${job})`);
      open.drop(lease);
      await queue.fail(job, token, notAccepted(code)).catch(tellUnlessLost);
      throw answerRefused(code, message);
    }
  }

  function tellUnlessLost(error: unknown): void {
    if (isLeaseLost(error)) return;
    context.log.warn({ error: messageOf(error) }, "a job of a node could not be given back");
  }

  function begin(session: Session): () => void {
    if (session.answers >= mostSendings * open.of(session).length) throw noJobHeld();
    session.answers += 1;
    let isOver = false;
    return () => {
      if (!isOver) session.answers -= 1;
      isOver = true;
    };
  }

  return {
    renew,
    begin,
    complete: (session, answer) => handIn(session, answer, (lease) => takeAnswer(lease, answer)),
    fail: (session, answer) => handIn(session, answer, (lease) => takeFailure(lease, answer)),
  };
}

/** Of one answer: the first may hang on a connection that nobody knows to be cut. */
const mostSendings = 2;

const notAccepted = (check: string): LeaseFailure => ({
  code: "node_answer_refused",
  message: `the answer of a node was not accepted (${check})`,
  status: 502,
  retryable: true,
});
