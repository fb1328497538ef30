import { reachOf } from "../capability.ts";
import type { GatewayWork, NodeGatewayContext } from "./context.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { NodeRecord } from "./node-store.ts";
import type { OpenLeases } from "./open-leases.ts";
import type { Session, Sessions } from "./sessions.ts";
import { isQuarantined } from "./strikes.ts";

/** Which node may be given what, and when. */
export type Eligibility = {
  /** Whether it is attested and was heard of lately. */
  isConnected(session: Session): boolean;
  /** Whether it gets work at all: attested, approved, not quarantined. */
  isServing(session: Session): boolean;
  /** Whether it may be given something at this moment: one job more than it runs, by its pace. */
  isOpen(session: Session): boolean;
  accepts(session: Session, work: GatewayWork): boolean;
  /** Jobs that it runs, checks among them. */
  running(session: Session): number;
  load(session: Session): number;
};

/** A run that is silent for so long, and holds nothing, is not counted on. */
const silentMs = 5_000;

export function createEligibility({
  known,
  sessions,
  open,
  queue,
  clock,
  embeddedReach,
}: Pick<NodeGatewayContext, "queue" | "clock" | "embeddedReach"> & {
  known: KnownNodes;
  sessions: Sessions;
  open: OpenLeases;
}): Eligibility {
  const recordOf = ({ nodeId }: Session): NodeRecord | undefined => known.get(nodeId);

  const running = (session: Session): number =>
    queue.runningOf(session.nodeId) + open.checksOf(session);

  const isConnected = (session: Session): boolean =>
    sessions.isLive(session) &&
    (session.polls > 0 || running(session) > 0 || session.heardMs + silentMs > clock.elapsed());

  function isServing(session: Session): boolean {
    const record = recordOf(session);
    return (
      record?.state === "approved" && !isQuarantined(record, clock) && sessions.isLive(session)
    );
  }

  const reaches = (session: Session, work: GatewayWork): number =>
    reachOf(recordOf(session)?.capabilities ?? [], work);

  /** Work goes to those that get furthest with it, such as a search of all platforms to those that know the most of them. */
  function isBest(session: Session, work: GatewayWork, reach: number): boolean {
    // A page goes on where the one before came from.
    if ((work.place?.nodeId ?? null) !== null) return true;
    if (embeddedReach(work) > reach) return false;
    for (const other of sessions.all()) {
      if (other === session || reaches(other, work) <= reach) continue;
      if (isServing(other) && isConnected(other)) return false;
    }
    return true;
  }

  return {
    isConnected,
    isServing,
    running,
    load: (session) => running(session) / (recordOf(session)?.concurrency ?? 1),
    isOpen: (session) =>
      isServing(session) &&
      session.pace.waitMs() === 0 &&
      running(session) < (recordOf(session)?.concurrency ?? 0),
    accepts: (session, work) => {
      if (work.isKeptHere || !isPlaceOf(session.nodeId, work)) return false;
      const reach = reaches(session, work);
      return reach > 0 && isBest(session, work, reach);
    },
  };
}

/** A method that goes on with a credential goes on where that credential is. */
function isPlaceOf(nodeId: string, { place = null }: GatewayWork): boolean {
  if (place === null) return true;
  return place.nodeId === undefined ? place.credentialId === null : place.nodeId === nodeId;
}
