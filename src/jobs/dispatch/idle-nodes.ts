import type { SearchJobRequest } from "../job.ts";
import type { LeaseRequest } from "../leases/lease.ts";

type SearchLeaseRequest = LeaseRequest<SearchJobRequest>;
type IdleNode<Job> = { request: SearchLeaseRequest; give: (job: Job | null) => void };

export type IdleNodes<Job> = {
  /** Returns a function that removes the request. `give(null)` ends the request. */
  add(request: SearchLeaseRequest, give: (job: Job | null) => void): () => void;
  /**
   * Dispatches a job to the least loaded open node for which `take` returns one; ties go to the
   * node that got a job least recently.
   */
  dispatchOne(take: (request: SearchLeaseRequest) => Job | null): boolean;
  /** True if `dispatchOne` would choose the node; uses up its turn. */
  takeTurn(nodeId: string, canTake: (request: SearchLeaseRequest) => boolean): boolean;
  countWaiting(request: SearchLeaseRequest): number;
  endAll(): void;
};

export function createIdleNodes<Job>(): IdleNodes<Job> {
  const idleNodes = new Set<IdleNode<Job>>();
  const lastTurns = new Map<string, number>();
  const idleCounts = new Map<SearchLeaseRequest, number>();
  let dispatchCount = 0;

  function add(request: SearchLeaseRequest, give: (job: Job | null) => void): () => void {
    const node = { request, give };
    idleNodes.add(node);
    idleCounts.set(request, countWaiting(request) + 1);
    return () => {
      if (!idleNodes.delete(node)) return;
      const remaining = countWaiting(request) - 1;
      if (remaining > 0) idleCounts.set(request, remaining);
      else idleCounts.delete(request);
    };
  }

  const countWaiting = (request: SearchLeaseRequest): number => idleCounts.get(request) ?? 0;

  function dispatchOne(take: (request: SearchLeaseRequest) => Job | null): boolean {
    for (const { request, give } of openNodes()) {
      const job = take(request);
      if (job === null) continue;
      recordTurn(request.nodeId);
      give(job);
      return true;
    }
    return false;
  }

  function takeTurn(nodeId: string, canTake: (request: SearchLeaseRequest) => boolean): boolean {
    const isNext = openNodes().find(({ request }) => canTake(request))?.request.nodeId === nodeId;
    if (isNext) recordTurn(nodeId);
    return isNext;
  }

  /** One per lease request, in dispatch order. */
  function openNodes(): IdleNode<Job>[] {
    const firstNodes = new Map<SearchLeaseRequest, IdleNode<Job>>();
    for (const node of idleNodes)
      if (!firstNodes.has(node.request)) firstNodes.set(node.request, node);
    const nodes = [...firstNodes.values()].filter(({ request }) => isOpen(request));
    if (nodes.length < 2) return nodes;
    const loads = new Map(nodes.map(({ request }) => [request, request.load?.() ?? 0]));
    const findLoad = ({ request }: IdleNode<Job>) => loads.get(request) ?? 0;
    const findTurn = ({ request }: IdleNode<Job>) => lastTurns.get(request.nodeId) ?? 0;
    return nodes.toSorted((a, b) => findLoad(a) - findLoad(b) || findTurn(a) - findTurn(b));
  }

  function recordTurn(nodeId: string): void {
    dispatchCount += 1;
    lastTurns.delete(nodeId);
    lastTurns.set(nodeId, dispatchCount);
    for (const [oldest] of lastTurns) {
      if (lastTurns.size <= maxRememberedNodes) break;
      lastTurns.delete(oldest);
    }
  }

  function endAll(): void {
    for (const { give } of [...idleNodes]) give(null);
  }

  return { add, dispatchOne, takeTurn, countWaiting, endAll };
}

const maxRememberedNodes = 1_000;

export const isOpen = ({ isOpen: isNodeOpen }: SearchLeaseRequest): boolean =>
  isNodeOpen?.() ?? true;
