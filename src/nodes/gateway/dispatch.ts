import { EarshotError, messageOf } from "../../lib/errors.ts";
import { methodNames } from "../../platforms/methods.ts";
import type { Lease } from "../lease.ts";
import type { JobEnvelope, LeaseBody } from "../protocol/messages.ts";
import { requestText } from "../protocol/request-text.ts";
import { sealJob } from "../protocol/sealed-job.ts";
import type { GatewayWork, NodeGatewayContext, NodeQueue } from "./context.ts";
import type { Eligibility } from "./eligibility.ts";
import { checkOf, nodeUnauthorized, tooManyAttempts } from "./faults.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { OpenLease, OpenLeases } from "./open-leases.ts";
import type { Session, Sessions } from "./sessions.ts";

type DispatchContext = Pick<
  NodeGatewayContext,
  "settings" | "queue" | "clock" | "gatewayKey" | "randomUuid" | "log" | "onDispatch"
> & {
  known: KnownNodes;
  sessions: Sessions;
  open: OpenLeases;
  eligibility: Eligibility;
  stopping: AbortSignal;
  /** Nothing can be encrypted to the keys of a run. */
  onUnusable: (session: Session) => void;
};

type LeaseRequest = Parameters<NodeQueue["lease"]>[0];

/** An open request for work. */
type Poll = {
  readonly session: Session;
  /** Whether it has ended. */
  isGone: boolean;
  readonly ended: AbortController;
};

/** Requests for work that a node may have open beyond the jobs that it runs at a time. */
const sparePolls = 4;

/** Sets of methods that a run asks for, of which so many are remembered. */
const mostMethodSets = 16;

/**
 * Gives jobs to runs that are attested, encrypted to their keys. The result resolves with null when no job came in time.
 * Errors: `node_unauthorized`, `too_many_attempts`.
 */
export function createDispatch(
  context: DispatchContext,
): (session: Session, asked: LeaseBody, signal: AbortSignal) => Promise<JobEnvelope | null> {
  const { settings, queue, clock, known, sessions, eligibility, open } = context;
  const requestsOf = new WeakMap<Session, Map<string, LeaseRequest>>();

  async function lease(
    session: Session,
    asked: LeaseBody,
    signal: AbortSignal,
  ): Promise<JobEnvelope | null> {
    if (!sessions.isLive(session)) {
      throw nodeUnauthorized("attestation_ended", "the attestation of the node has ended");
    }
    const mostPolls = (known.get(session.nodeId)?.concurrency ?? 0) + sparePolls;
    if (session.polls >= mostPolls) throw tooManyAttempts("the node asks for more than it can run");
    const poll: Poll = { session, isGone: false, ended: new AbortController() };
    const leave = () => {
      poll.isGone = true;
      poll.ended.abort(pollEnds);
    };
    const ends = [signal, session.ended.signal, context.stopping];
    for (const end of ends) end.addEventListener("abort", leave, { once: true });
    if (ends.some(({ aborted }) => aborted)) leave();
    session.polls += 1;
    noteOpen(session, asked.methods, 1);
    try {
      const waitMs = Math.min(asked.wait_ms, settings.leaseWaitMs);
      return await nextJob(poll, asked.methods, clock.elapsed() + waitMs);
    } finally {
      session.polls -= 1;
      session.heardMs = Math.max(session.heardMs, clock.elapsed());
      noteOpen(session, asked.methods, -1);
      for (const end of ends) end.removeEventListener("abort", leave);
      // What was reserved for it goes to others, or to its next request.
      queue.wakeNodes();
    }
  }

  function noteOpen({ askings }: Session, methods: readonly string[], change: 1 | -1): void {
    for (const method of new Set(methods)) {
      const known = askings.get(method);
      const held = (known?.held ?? 0) + change;
      const most = Math.max(held, known?.most ?? 0);
      askings.set(method, { held, most, endedMs: clock.elapsed() });
    }
  }

  async function nextJob(
    poll: Poll,
    methods: readonly string[],
    endMs: number,
  ): Promise<JobEnvelope | null> {
    const request = leaseRequestOf(poll.session, methods);
    while (!poll.isGone) {
      const leased = await queue.lease(request, endMs - clock.elapsed(), poll.ended.signal);
      if (leased === null) return null;
      if (leased.lost.aborted) continue;
      const envelope = await handOver(poll, leased);
      if (envelope !== null) return envelope;
    }
    return null;
  }

  /** One for all requests of a run for the same methods: the queue evaluates it once for all of them. */
  function leaseRequestOf(session: Session, methods: readonly string[]): LeaseRequest {
    const wanted = methodNames.filter((method) => methods.includes(method));
    const requests = requestsOf.get(session) ?? new Map<string, LeaseRequest>();
    const request = requests.get(wanted.join()) ?? {
      nodeId: session.nodeId,
      methods: wanted,
      isOpen: () => eligibility.isOpen(session),
      accepts: (work: GatewayWork) => eligibility.accepts(session, work),
      load: () => eligibility.load(session),
      slots: () => slotsFor(session, wanted),
      onGiven: () => notePace(session),
    };
    if (requests.size < mostMethodSets) requests.set(wanted.join(), request);
    requestsOf.set(session, requests);
    return request;
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

  /** Encrypts a job to a run. Null where the run is gone by now: the job goes to another. */
  async function handOver(poll: Poll, leased: Lease<GatewayWork>): Promise<JobEnvelope | null> {
    const { session } = poll;
    const { uuid, token, lost } = leased;
    const sealed = await seal(session, leased).catch((error: unknown) => {
      context.log.warn(
        { node: session.nodeId, uuid, error: messageOf(error) },
        "a job could not be sealed to a node",
      );
      if (isUnusable(error)) context.onUnusable(session);
      return null;
    });
    if (poll.isGone || lost.aborted || !sessions.isLive(session)) {
      if (!lost.aborted) await queue.giveBack(uuid, token).catch(() => undefined);
      return null;
    }
    if (sealed === null) {
      // The attempt counts: a job that nothing can encrypt is not tried without end.
      await queue.fail(uuid, token, notSealed).catch(() => undefined);
      return null;
    }
    open.add(sealed.lease);
    lost.addEventListener("abort", () => open.drop(sealed.lease), { once: true });
    context.onDispatch?.(session.evidence);
    return sealed.envelope;
  }

  async function seal(
    session: Session,
    { uuid, work, token, attempt, leftMs, holdMs }: Lease<GatewayWork>,
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
    const lease = { session, job: uuid, token, work, request, opener, sealedMs, handingIn: null };
    return { envelope, lease };
  }

  return lease;
}

/** A node does not say how many jobs of a method it runs at a time: at least as many as it has had requests open at once. */
const slotsFor = ({ askings }: Session, methods: readonly string[]): number =>
  methods.reduce((most, method) => Math.max(most, askings.get(method)?.most ?? 0), 0);

/** Why a request for work ends; one for all, as an abort without a reason makes an exception each time. */
const pollEnds = new Error("the request for work has ended");

const notSealed = {
  code: "node_lost",
  message: "the job could not be sealed to the node that was to run it",
  status: 503,
  retryable: true,
};

const isUnusable = (error: unknown): boolean =>
  error instanceof EarshotError && checkOf(error).code === "key_unusable";
