import type { JobEnvelope, LeaseBody } from "../protocol/messages.ts";
import { createAskings } from "./askings.ts";
import type { NodeGatewayContext } from "./context.ts";
import type { Eligibility } from "./eligibility.ts";
import { nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import { createHandOver, type Handed } from "./hand-over.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { OpenLeases } from "./open-leases.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { SpotJob, SpotLine } from "./spot-line.ts";

/** Gives work to runs that are attested, sealed to their keys. */
export type Dispatch = {
  /** Null when no job came in time. Errors: `node_unauthorized`, `too_many_attempts`. */
  lease(session: Session, asked: LeaseBody, signal: AbortSignal): Promise<JobEnvelope | null>;
  /** A check waits: the least loaded of the waiting nodes that can run it takes it. */
  offerCheck(check: SpotJob): void;
};

type DispatchContext = Pick<
  NodeGatewayContext,
  "settings" | "queue" | "clock" | "gatewayKey" | "randomUuid" | "log" | "onDispatch"
> & {
  known: KnownNodes;
  sessions: Sessions;
  open: OpenLeases;
  eligibility: Eligibility;
  checks: SpotLine;
  stopping: AbortSignal;
  /** The keys of a run cannot be used. */
  onUnusable: (session: Session) => void;
  /** A check could not be sealed to its node. */
  onUnsealed: (session: Session, check: SpotJob) => void;
};

/** A request for work that is held. */
type Poll = {
  readonly session: Session;
  /** Whether nobody waits for it any more. */
  isGone: boolean;
  /** Has it looked at again. */
  wake: AbortController;
};

/** Requests for work that a node may have open beyond the jobs that it runs at a time. */
const sparePolls = 4;

export function createDispatch(context: DispatchContext): Dispatch {
  const { settings, queue, clock, known, sessions, eligibility, checks } = context;
  const polls = new Set<Poll>();
  const { askingNode, notePace } = createAskings(context);
  const handOver = createHandOver(context);

  async function lease(
    session: Session,
    asked: LeaseBody,
    signal: AbortSignal,
  ): Promise<JobEnvelope | null> {
    requireLive(session);
    const mostPolls = (known.get(session.nodeId)?.concurrency ?? 0) + sparePolls;
    if (session.polls >= mostPolls) throw tooManyAttempts("the node asks for more than it can run");
    const poll: Poll = { session, isGone: false, wake: new AbortController() };
    const leave = () => {
      poll.isGone = true;
      poll.wake.abort(pollEnds);
    };
    const ends = [signal, session.ended.signal, context.stopping];
    for (const end of ends) end.addEventListener("abort", leave, { once: true });
    if (ends.some(({ aborted }) => aborted)) leave();
    session.polls += 1;
    polls.add(poll);
    noteHeld(session, asked.methods, 1);
    try {
      const waitMs = Math.min(asked.wait_ms, settings.leaseWaitMs);
      return await nextJob(poll, asked.methods, clock.elapsed() + waitMs);
    } finally {
      polls.delete(poll);
      session.polls -= 1;
      session.heardMs = Math.max(session.heardMs, clock.elapsed());
      noteHeld(session, asked.methods, -1);
      for (const end of ends) end.removeEventListener("abort", leave);
      // What was kept for it goes to others, or to its next request.
      queue.wakeNodes();
    }
  }

  function noteHeld({ askings }: Session, methods: readonly string[], change: 1 | -1): void {
    for (const method of new Set(methods)) {
      const held = (askings.get(method)?.held ?? 0) + change;
      askings.set(method, { held, endedMs: clock.elapsed() });
    }
  }

  async function nextJob(
    poll: Poll,
    methods: readonly string[],
    endMs: number,
  ): Promise<JobEnvelope | null> {
    const { session } = poll;
    const asking = askingNode(session, methods);
    while (!poll.isGone) {
      const check = takeCheck(session, methods);
      if (check !== null) return await handOver(poll, leaseOf(check));
      const leased = await queue.lease(asking, endMs - clock.elapsed(), poll.wake.signal);
      if (leased === null) {
        if (endMs <= clock.elapsed() || !poll.wake.signal.aborted) return null;
        if (!poll.isGone) poll.wake = new AbortController();
      } else if (!leased.lost.aborted) {
        const envelope = await handOver(poll, { ...leased, check: null });
        if (envelope !== null) return envelope;
      }
    }
    return null;
  }

  function takeCheck(session: Session, methods: readonly string[]): SpotJob | null {
    if (!eligibility.isOpen(session)) return null;
    const check = checks.take((job) => isFor(session, job) && methods.includes(job.work.method));
    if (check !== null) notePace(session);
    return check;
  }

  const isFor = (session: Session, { firstNode, work }: SpotJob): boolean =>
    firstNode !== session.nodeId && eligibility.canCheck(session, work);

  function leaseOf(check: SpotJob): Handed {
    const nowMs = clock.elapsed();
    check.overMs = nowMs + check.leftMs;
    check.endsMs = Math.min(nowMs + check.holdMs, check.overMs);
    return {
      uuid: check.uuid,
      work: check.work,
      attempt: 1,
      leftMs: check.leftMs,
      token: context.randomUuid(),
      holdMs: check.holdMs,
      lost: new AbortController().signal,
      check,
    };
  }

  function offerCheck(check: SpotJob): void {
    const [first] = [...polls]
      .filter(({ session }) => eligibility.isOpen(session) && isFor(session, check))
      .toSorted((one, other) => eligibility.load(one.session) - eligibility.load(other.session));
    first?.wake.abort(checkWaits);
  }

  function requireLive(session: Session): void {
    if (sessions.isLive(session)) return;
    throw nodeUnauthorized("attestation_ended", "the attestation of the node has ended");
  }

  return { lease, offerCheck };
}

/** Why a request for work ends, or is looked at again; one for all, as an abort without a reason makes an exception each time. */
const pollEnds = new Error("nobody waits for the work any more");
const checkWaits = new Error("a check waits");
