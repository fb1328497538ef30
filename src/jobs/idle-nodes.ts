import type { SearchJobRequest } from "./job.ts";
import type { AskingNode } from "./lease.ts";

type Asking = AskingNode<SearchJobRequest>;
type IdleNode<Job> = { asking: Asking; give: (job: Job | null) => void };

/** Nodes that wait for a job. */
export type IdleNodes<Job> = {
  /** Until the function that it returns is called; `give` hands over a job, or null to send the node away. */
  add(asking: Asking, give: (job: Job | null) => void): () => void;
  /**
   * Gives one job that `take` has to the least loaded of those that are open and can run one, among equals to the one that was
   * given none for longest. Whether there was one.
   */
  giveOne(take: (asking: Asking) => Job | null): boolean;
  /** How many requests of a node for the same work wait. */
  waitingOf(asking: Asking): number;
  sendAway(): void;
};

export function createIdleNodes<Job>(): IdleNodes<Job> {
  const idle = new Set<IdleNode<Job>>();
  // The times at which nodes were given their last jobs, as numbers that count up; of nodes that wait or were given one lately.
  const lastGiven = new Map<string, number>();
  const waiting = new Map<Asking, number>();
  let given = 0;

  function add(asking: Asking, give: (job: Job | null) => void): () => void {
    const node = { asking, give };
    idle.add(node);
    waiting.set(asking, waitingOf(asking) + 1);
    return () => {
      if (!idle.delete(node)) return;
      const left = waitingOf(asking) - 1;
      if (left > 0) waiting.set(asking, left);
      else waiting.delete(asking);
    };
  }

  const waitingOf = (asking: Asking): number => waiting.get(asking) ?? 0;

  function giveOne(take: (asking: Asking) => Job | null): boolean {
    // What several requests of one node have in common is asked for once.
    const refused = new Set<Asking>();
    for (const { asking, give } of inOrder()) {
      if (refused.has(asking)) continue;
      const job = take(asking);
      if (job === null) {
        refused.add(asking);
        continue;
      }
      note(asking.nodeId);
      give(job);
      return true;
    }
    return false;
  }

  function inOrder(): IdleNode<Job>[] {
    const loads = new Map<Asking, number>();
    for (const { asking } of idle) {
      if (!loads.has(asking) && isOpen(asking)) loads.set(asking, asking.load?.() ?? 0);
    }
    const loadOf = ({ asking }: IdleNode<Job>) => loads.get(asking) ?? 0;
    const turnOf = ({ asking }: IdleNode<Job>) => lastGiven.get(asking.nodeId) ?? 0;
    return [...idle]
      .filter(({ asking }) => loads.has(asking))
      .toSorted((one, other) => loadOf(one) - loadOf(other) || turnOf(one) - turnOf(other));
  }

  function note(nodeId: string): void {
    given += 1;
    lastGiven.delete(nodeId);
    lastGiven.set(nodeId, given);
    // Whoever was given nothing for so long comes first anyway.
    for (const [oldest] of lastGiven) {
      if (lastGiven.size <= rememberedNodes) break;
      lastGiven.delete(oldest);
    }
  }

  function sendAway(): void {
    for (const { give } of [...idle]) give(null);
  }

  return { add, giveOne, waitingOf, sendAway };
}

const rememberedNodes = 1_000;

/** Whether the node may be given anything for the moment. */
export const isOpen = ({ isOpen: mayBeGiven }: Asking): boolean => mayBeGiven?.() ?? true;
