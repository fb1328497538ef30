import type { SearchJobRequest } from "./job.ts";
import type { AskingNode } from "./lease.ts";

type Asking = AskingNode<SearchJobRequest>;
type IdleNode<Job> = { asking: Asking; give: (job: Job | null) => void };

/** Pending lease requests. */
export type IdleNodes<Job> = {
  /** Returns a function that removes the request. `give` receives null to end it. */
  add(asking: Asking, give: (job: Job | null) => void): () => void;
  /** To the least loaded open node that `take` has a job for; ties go to the node that got one least recently. */
  giveOne(take: (asking: Asking) => Job | null): boolean;
  /** Requests that share this object. */
  waitingOf(asking: Asking): number;
  sendAway(): void;
};

export function createIdleNodes<Job>(): IdleNodes<Job> {
  const idle = new Set<IdleNode<Job>>();
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
    for (const { asking, give } of inOrder()) {
      const job = take(asking);
      if (job === null) continue;
      note(asking.nodeId);
      give(job);
      return true;
    }
    return false;
  }

  /** One of each node's requests, as these share one object. */
  function inOrder(): IdleNode<Job>[] {
    const firsts = new Map<Asking, IdleNode<Job>>();
    for (const node of idle) if (!firsts.has(node.asking)) firsts.set(node.asking, node);
    const open = [...firsts.values()].filter(({ asking }) => isOpen(asking));
    if (open.length < 2) return open;
    const loads = new Map(open.map(({ asking }) => [asking, asking.load?.() ?? 0]));
    const loadOf = ({ asking }: IdleNode<Job>) => loads.get(asking) ?? 0;
    const turnOf = ({ asking }: IdleNode<Job>) => lastGiven.get(asking.nodeId) ?? 0;
    return open.toSorted(
      (one, other) => loadOf(one) - loadOf(other) || turnOf(one) - turnOf(other),
    );
  }

  function note(nodeId: string): void {
    given += 1;
    lastGiven.delete(nodeId);
    lastGiven.set(nodeId, given);
    // The oldest entries come first anyway.
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

export const isOpen = ({ isOpen: mayBeGiven }: Asking): boolean => mayBeGiven?.() ?? true;
