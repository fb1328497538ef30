import { EarshotError, messageOf } from "../../lib/errors.ts";
import { methodNames } from "../../platforms/methods.ts";
import type { Lease } from "../lease.ts";
import type { JobEnvelope, LeaseBody } from "../protocol/messages.ts";
import { sealJob } from "../protocol/sealed-job.ts";
import { requestText } from "../protocol/work.ts";
import type { GatewayWork, NodeGatewayContext, NodeQueue } from "./context.ts";
import type { Eligibility } from "./eligibility.ts";
import { checkOf, nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { OpenLease, OpenLeases } from "./open-leases.ts";
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

type Asking = Parameters<NodeQueue["lease"]>[0];

/** Sets of methods that a run asks for, of which so many are remembered. */
const mostAskings = 16;

/** A request for work that is held. */
type Poll = {
  readonly session: Session;
  /** Whether nobody waits for it any more. */
  isGone: boolean;
  /** Has it looked at again. */
  wake: AbortController;
};

/** What is handed over: a lease of the queue, or a check. */
type Handed = Omit<Lease<GatewayWork>, "accountId"> & { check: SpotJob | null };

/** Requests for work that a node may have open beyond the jobs that it runs at a time. */
const sparePolls = 4;

export function createDispatch(context: DispatchContext): Dispatch {
  const { settings, queue, clock, known, sessions, open, eligibility, checks } = context;
  const polls = new Set<Poll>();
  const askingOf = new WeakMap<Session, Map<string, Asking>>();

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

  /** One for all requests of a run for the same methods: the queue asks it once for all of them. */
  function askingNode(session: Session, methods: readonly string[]): Asking {
    const wanted = methodNames.filter((method) => methods.includes(method));
    const held = askingOf.get(session) ?? new Map<string, Asking>();
    const asking = held.get(wanted.join()) ?? {
      nodeId: session.nodeId,
      methods: wanted,
      isOpen: () => eligibility.isOpen(session),
      accepts: (work: GatewayWork) => eligibility.accepts(session, work),
      load: () => eligibility.load(session),
      onGiven: () => notePace(session),
    };
    if (held.size < mostAskings) held.set(wanted.join(), asking);
    askingOf.set(session, held);
    return asking;
  }

  function notePace(session: Session): void {
    session.pace.note();
    const waitMs = session.pace.waitMs();
    if (waitMs === 0 || session.isPaced) return;
    session.isPaced = true;
    clock.sleep(waitMs, context.stopping).then(
      () => {
        session.isPaced = false;
        queue.wakeNodes();
      },
      () => undefined,
    );
  }

  /** Null where the run is gone by now: the job goes to another. */
  async function handOver(poll: Poll, handed: Handed): Promise<JobEnvelope | null> {
    const { session } = poll;
    const sealed = await seal(session, handed).catch((error: unknown) => {
      context.log.warn(
        { node: session.nodeId, uuid: handed.uuid, error: messageOf(error) },
        "a job could not be sealed to a node",
      );
      if (isUnusable(error)) context.onUnusable(session);
      return null;
    });
    if (poll.isGone || handed.lost.aborted || !sessions.isLive(session)) {
      await giveBack(handed);
      return null;
    }
    if (sealed === null) {
      await failUnsealed(session, handed);
      return null;
    }
    open.add(sealed.lease);
    handed.lost.addEventListener("abort", () => open.drop(sealed.lease), { once: true });
    context.onDispatch?.(session.evidence);
    return sealed.envelope;
  }

  async function seal(
    session: Session,
    { uuid, work, token, attempt, leftMs, holdMs, check }: Handed,
  ): Promise<{ envelope: JobEnvelope; lease: OpenLease }> {
    const request = requestText(work);
    const sealedMs = clock.now();
    const { envelope, opener } = await sealJob({
      keyId: session.keyId,
      sealingKey: session.sealingKey,
      job: uuid,
      lease: context.randomUuid(),
      payload: { token, attempt, left_ms: Math.max(0, leftMs), hold_ms: holdMs, request },
      nowMs: sealedMs,
      lifeMs: holdMs,
      gateway: context.gatewayKey,
    });
    const held = { session, job: uuid, token, work, request, opener, sealedMs, leftMs, holdMs };
    return { envelope, lease: { ...held, check, handingIn: null } };
  }

  async function giveBack({ uuid, token, lost, check }: Handed): Promise<void> {
    if (check !== null) checks.add(check);
    else if (!lost.aborted) await queue.giveBack(uuid, token).catch(() => undefined);
  }

  /** The attempt counts: what can be sealed to nobody is not tried without end. */
  async function failUnsealed(session: Session, handed: Handed): Promise<void> {
    const { uuid, token, check } = handed;
    if (check === null) await queue.fail(uuid, token, notSealed).catch(() => undefined);
    else context.onUnsealed(session, check);
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

const notSealed = {
  code: "node_lost",
  message: "the job could not be sealed to the node that was to run it",
  status: 503,
  retryable: true,
};

const isUnusable = (error: unknown): boolean =>
  error instanceof EarshotError && checkOf(error).code === "key_unusable";
