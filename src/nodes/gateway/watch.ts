import { messageOf } from "../../lib/errors.ts";
import type { NodeGatewayContext } from "./context.ts";
import type { KnownNodes, StandChange } from "./known-nodes.ts";
import type { NodeEvents } from "./node-events.ts";
import type { Penalties } from "./penalties.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Keeps watch while the gateway runs. */
export type Watch = {
  start(): void;
  /** Ends the watch and writes what was counted. */
  stop(): Promise<void>;
};

const roundMs = 1_000;
/** Rounds between two notes of what nodes have done, and between two sweeps. */
const noteRounds = 10;
const sweepRounds = 60;
/** So long after its attestation has ended a run that is silent is forgotten. */
const silentMs = 600_000;

export function createWatch(
  context: Pick<NodeGatewayContext, "store" | "clock" | "log" | "settings" | "queue"> & {
    known: KnownNodes;
    sessions: Sessions;
    penalties: Pick<Penalties, "writeAgain">;
    events: NodeEvents;
    /** An operator has changed a node, or it is not known any more. */
    onChange: (change: StandChange) => void;
    onSilent: (session: Session) => void;
  },
): Watch {
  const { store, clock, log, settings, queue, known, sessions, penalties, events } = context;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    for (let round = 1; await rest(); round += 1) {
      await told(look, "the nodes could not be looked up");
      await told(penalties.writeAgain, "a quarantine could not be written");
      await told(noteEvents, "what happened to nodes could not be written");
      if (round % noteRounds === 0) await told(noteUses, "what nodes did could not be written");
      if (round % sweepRounds === 0) await told(sweep, "old notes of nodes could not be removed");
    }
  }

  const rest = (): Promise<boolean> =>
    clock.sleep(roundMs, stopping.signal).then(
      () => true,
      () => false,
    );

  async function told(round: () => Promise<void>, message: string): Promise<void> {
    try {
      await round();
    } catch (error) {
      log.warn({ error: messageOf(error) }, message);
    }
  }

  /** What an operator changes beside this process is found here; a node that may be given work again is woken. */
  async function look(): Promise<void> {
    if (known.all().next().done) return;
    const number = known.beginLook();
    for (const change of known.endLook(number, await store.read("nodeStands", null))) {
      context.onChange(change);
    }
    queue.wakeNodes();
  }

  async function noteEvents(): Promise<void> {
    const taken = events.take();
    if (taken.length > 0) await store.write("noteNodeEvents", { events: taken });
  }

  async function noteUses(): Promise<void> {
    const elapsedMs = clock.elapsed();
    for (const session of sessions.all()) {
      const silence = elapsedMs - session.heardMs;
      known.noteSeen(session.nodeId, clock.now() - Math.round(silence));
      if (!sessions.isLive(session) && silence > silentMs) context.onSilent(session);
    }
    const uses = known.takeUses();
    if (uses.length === 0) return;
    try {
      await store.write("noteNodeUse", { uses });
    } catch (error) {
      known.restoreUses(uses);
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    const { memoryMs } = settings;
    while (await store.write("sweepNodes", { nowMs: clock.now(), memoryMs })) {
      if (stopping.signal.aborted) return;
    }
  }

  return {
    start: () => {
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await running;
      await told(noteEvents, "what happened to nodes could not be written");
      await told(noteUses, "what nodes did could not be written");
    },
  };
}
