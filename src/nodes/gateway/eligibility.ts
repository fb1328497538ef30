import type { Method } from "../../platforms/methods.ts";
import { reachOf } from "../capability.ts";
import { evidenceKinds } from "../evidence/evidence.ts";
import type { GatewayWork, NodeGatewayContext } from "./context.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { NodeRecord } from "./node-store.ts";
import { isQuarantined, type Penalties } from "./penalties.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Which node may be given what, and when. */
export type Eligibility = {
  /** Whether it is attested and was heard of lately. */
  isConnected(session: Session): boolean;
  /** Whether it gets work at all: attested, approved, not quarantined. */
  isServing(session: Session): boolean;
  /** Whether it may be given something at this moment: one job more than it runs, by its pace. */
  isOpen(session: Session): boolean;
  accepts(session: Session, work: GatewayWork): boolean;
  /** Whether it is there for work of the method: it asks for it, has asked just now, or runs all that it can. */
  takes(session: Session, method: Method): boolean;
  /** Jobs that it runs. */
  running(session: Session): number;
  load(session: Session): number;
};

/** A run that is silent for so long, and holds nothing, is not counted on. */
const silentMs = 5_000;

export function createEligibility({
  known,
  sessions,
  queue,
  clock,
  penalties,
  embeddedReach,
}: Pick<NodeGatewayContext, "queue" | "clock" | "embeddedReach"> & {
  known: KnownNodes;
  sessions: Sessions;
  penalties: Pick<Penalties, "failuresInRow">;
}): Eligibility {
  const recordOf = ({ nodeId }: Session): NodeRecord | undefined => known.get(nodeId);

  const running = (session: Session): number => queue.runningOf(session.nodeId);

  const isBusy = (session: Session): boolean =>
    running(session) >= (recordOf(session)?.concurrency ?? 0);

  const isConnected = (session: Session): boolean =>
    sessions.isLive(session) &&
    (session.polls > 0 || running(session) > 0 || session.heardMs + silentMs > clock.elapsed());

  function isServing(session: Session): boolean {
    const record = recordOf(session);
    return (
      record?.state === "approved" && !isQuarantined(record, clock) && sessions.isLive(session)
    );
  }

  function takes(session: Session, method: Method): boolean {
    const asking = session.askings.get(method);
    if (asking === undefined) return false;
    return asking.held > 0 || asking.endedMs + silentMs > clock.elapsed() || isBusy(session);
  }

  const isOpen = (session: Session): boolean =>
    isServing(session) && session.pace.waitMs() === 0 && !isBusy(session);

  const reaches = (session: Session, work: GatewayWork): number =>
    reachOf(recordOf(session)?.capabilities ?? [], work);

  /** What a node claims to know counts as long as it takes the work, and does not fail at one job after another. */
  const countsOn = (other: Session, work: GatewayWork): boolean =>
    isServing(other) &&
    isConnected(other) &&
    takes(other, work.method) &&
    penalties.failuresInRow(other.nodeId) < mostFailuresInRow;

  const isWaiting = (other: Session, { method }: GatewayWork): boolean =>
    isOpen(other) && (other.askings.get(method)?.held ?? 0) > 0;

  /**
   * Work goes to those that get furthest with it, such as a search of all platforms to those that know the most of them; among
   * those to the ones with the strongest evidence, as long as one of them waits for it.
   */
  function isBest(session: Session, work: GatewayWork, reach: number): boolean {
    // A page goes on where the one before came from.
    if ((work.place?.nodeId ?? null) !== null) return true;
    if (embeddedReach(work) > reach) return false;
    for (const other of sessions.all()) {
      if (other === session) continue;
      const otherReach = reaches(other, work);
      if (otherReach < reach || otherReach === 0) continue;
      const isFurther = otherReach > reach;
      if (!isFurther && !(isStronger(other, session) && isWaiting(other, work))) continue;
      if (countsOn(other, work)) return false;
    }
    return true;
  }

  const isTakenBy = (session: Session, work: GatewayWork): boolean =>
    !work.isKeptHere && isPlaceOf(session.nodeId, work);

  return {
    isConnected,
    isServing,
    takes,
    running,
    // Whoever has just failed comes after the others: what is tried again is tried elsewhere where it can be.
    load: (session) =>
      running(session) / (recordOf(session)?.concurrency ?? 1) +
      penalties.failuresInRow(session.nodeId),
    isOpen,
    accepts: (session, work) => {
      if (!isTakenBy(session, work)) return false;
      const reach = reaches(session, work);
      return reach > 0 && isBest(session, work, reach);
    },
  };
}

/** Of a node that has failed at so many jobs one after another, whatever it was asked, nothing is expected for a while. */
const mostFailuresInRow = 2;

const isStronger = (one: Session, other: Session): boolean =>
  evidenceKinds.indexOf(one.evidence) < evidenceKinds.indexOf(other.evidence);

/** A method that goes on with a credential goes on where that credential is. */
function isPlaceOf(nodeId: string, { place = null }: GatewayWork): boolean {
  if (place === null) return true;
  return place.nodeId === undefined ? place.credentialId === null : place.nodeId === nodeId;
}
