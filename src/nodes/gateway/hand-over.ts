import { EarshotError, messageOf } from "../../lib/errors.ts";
import type { Lease } from "../lease.ts";
import type { JobEnvelope } from "../protocol/messages.ts";
import { sealJob } from "../protocol/sealed-job.ts";
import { requestText } from "../protocol/work.ts";
import type { GatewayWork, NodeGatewayContext } from "./context.ts";
import { checkOf } from "./faults.ts";
import type { OpenLease, OpenLeases } from "./open-leases.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { SpotJob, SpotLine } from "./spot-line.ts";

/** What is handed over: a lease of the queue, or a check. */
export type Handed = Omit<Lease<GatewayWork>, "accountId"> & { check: SpotJob | null };

/** The run that waits for it, and whether nobody does any more. */
type Waiting = { readonly session: Session; readonly isGone: boolean };

type HandOverContext = Pick<
  NodeGatewayContext,
  "queue" | "clock" | "gatewayKey" | "randomUuid" | "log" | "onDispatch"
> & {
  sessions: Sessions;
  open: OpenLeases;
  checks: SpotLine;
  /** The keys of a run cannot be used. */
  onUnusable: (session: Session) => void;
  /** A check could not be sealed to its node. */
  onUnsealed: (session: Session, check: SpotJob) => void;
};

/** Seals what a run is given. Null where the run is gone by now: the job goes to another. */
export function createHandOver(
  context: HandOverContext,
): (poll: Waiting, handed: Handed) => Promise<JobEnvelope | null> {
  const { queue, clock, sessions, open, checks } = context;

  async function handOver(poll: Waiting, handed: Handed): Promise<JobEnvelope | null> {
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

  return handOver;
}

const notSealed = {
  code: "node_lost",
  message: "the job could not be sealed to the node that was to run it",
  status: 503,
  retryable: true,
};

const isUnusable = (error: unknown): boolean =>
  error instanceof EarshotError && checkOf(error).code === "key_unusable";
