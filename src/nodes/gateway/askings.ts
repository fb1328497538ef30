import { methodNames } from "../../platforms/methods.ts";
import type { GatewayWork, NodeGatewayContext, NodeQueue } from "./context.ts";
import type { Eligibility } from "./eligibility.ts";
import type { Session } from "./sessions.ts";

/** A run as the queue asks it what it takes. */
type Asking = Parameters<NodeQueue["lease"]>[0];

/** Sets of methods that a run asks for, of which so many are remembered. */
const mostAskings = 16;

/** How the queue is asked for work in the name of a run, at its pace. */
export function createAskings({
  queue,
  clock,
  eligibility,
  stopping,
}: Pick<NodeGatewayContext, "queue" | "clock"> & {
  eligibility: Eligibility;
  stopping: AbortSignal;
}) {
  const askingOf = new WeakMap<Session, Map<string, Asking>>();

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
    clock.sleep(waitMs, stopping).then(
      () => {
        session.isPaced = false;
        queue.wakeNodes();
      },
      () => undefined,
    );
  }

  return { askingNode, notePace };
}
