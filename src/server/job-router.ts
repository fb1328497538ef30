/**
 * Jobs with an account's credential run in this process. A page token belongs to the credential
 * that opened it, so the same process or node fetches the next page.
 */

import type { SearchJobRequest } from "../jobs/job.ts";
import { embeddedNodeId } from "../jobs/leases/lease.ts";
import type { Clock } from "../lib/clock.ts";
import type { AccessMethod } from "../platforms/source.ts";
import { type Capability, canRun, capabilityRank, type Work } from "../remote/capability.ts";
import type { NodeView } from "../remote/gateway/gateway.ts";
import { disconnectGraceMs, type GatewaySettings } from "../remote/settings.ts";
import type { NodeCapabilities } from "../search/node-capabilities.ts";

export type RoutableNode = Pick<
  NodeView,
  "id" | "state" | "isConnected" | "takes" | "capabilities"
> & { seenMs: number | null };

export type JobRouter = {
  runsHere(work: SearchJobRequest): boolean;
  /** Whether a node not in `excluded` can run the job and would get it. */
  hasNodeFor(work: SearchJobRequest, excluded?: ReadonlySet<string>): boolean;
  nodeCapabilities: NodeCapabilities;
};

type JobRouterContext = {
  embedded: GatewaySettings["embedded"];
  /** Capabilities of the embedded node. */
  capabilities: () => readonly Capability[];
  nodes: () => readonly RoutableNode[];
  clock: Pick<Clock, "now">;
};

export function createJobRouter({
  embedded,
  capabilities,
  nodes,
  clock,
}: JobRouterContext): JobRouter {
  const hasEmbeddedNode = embedded !== "off";
  const ownReach = (work: Work): number => embeddedRank(embedded, capabilities(), work);

  const runsHere: JobRouter["runsHere"] = (work) => {
    const { isLocalOnly, position } = work;
    if (isLocalOnly === true) return true;
    if ((position?.nodeId ?? null) !== null) return false;
    if ((position?.credentialId ?? null) !== null) return true;
    const otherNodes = nodes();
    if (otherNodes.length === 0) return true;
    const remoteReach = maxRank(otherNodes.filter(acceptsMethod(work)), work);
    if (remoteReach > 0) return embedded === "on" && ownReach(work) >= remoteReach;
    return canRun(capabilities(), work) || !expectedNodes(otherNodes).some(canNodeRun(work));
  };

  const hasNodeFor: JobRouter["hasNodeFor"] = (work, excludedNodeIds = noNodes) => {
    const nodeId = work.position?.nodeId ?? null;
    const activeNodes = nodes().filter(isActive);
    const otherNodes = activeNodes.filter(({ id }) => !excludedNodeIds.has(id));
    if (nodeId !== null) return otherNodes.some(({ id }) => id === nodeId);
    if (hasEmbeddedNode && !excludedNodeIds.has(embeddedNodeId) && runsHere(work)) return true;
    const isBound = work.isLocalOnly === true || (work.position?.credentialId ?? null) !== null;
    const reach = Math.max(maxRank(activeNodes, work), ownReach(work));
    return !isBound && reach > 0 && maxRank(otherNodes, work) === reach;
  };

  const answeredFrom: NodeCapabilities["answeredFrom"] = (work) => {
    const capabilities = expectedNodes(nodes()).flatMap((node) => node.capabilities);
    const upstreamCapabilities = capabilities.map(({ ways, ...capability }) => ({
      ...capability,
      ways: ways.filter(isUpstream),
    }));
    if (canRun(upstreamCapabilities, work)) return "upstream";
    return canRun(capabilities, work) ? "archive" : null;
  };

  const expectedNodes = (candidates: readonly RoutableNode[]): readonly RoutableNode[] =>
    candidates.filter(
      (node) =>
        isApproved(node) &&
        (node.isConnected ||
          (node.seenMs !== null && clock.now() - node.seenMs <= disconnectGraceMs)),
    );

  return {
    runsHere,
    hasNodeFor,
    nodeCapabilities: {
      hasEmbeddedNode,
      hasRemoteNodes: () => nodes().some(isApproved),
      answeredFrom,
    },
  };
}

/** `capabilityRank` of the embedded node; 0 if it defers to other nodes. */
export const embeddedRank = (
  embedded: GatewaySettings["embedded"],
  capabilities: readonly Capability[],
  work: Work,
): number => (embedded === "on" ? capabilityRank(capabilities, work) : 0);

const noNodes: ReadonlySet<string> = new Set();

const isApproved = ({ state }: RoutableNode): boolean =>
  state === "approved" || state === "quarantined" || state === "draining";

const isActive = ({ isConnected, state }: RoutableNode): boolean =>
  isConnected && state === "approved";

const acceptsMethod =
  ({ method }: Work) =>
  (node: RoutableNode): boolean =>
    isActive(node) && node.takes.includes(method);

const canNodeRun =
  (work: Work) =>
  (node: RoutableNode): boolean =>
    canRun(node.capabilities, work);

function maxRank(nodes: readonly RoutableNode[], work: Work): number {
  return nodes.reduce(
    (reach, { capabilities }) => Math.max(reach, capabilityRank(capabilities, work)),
    0,
  );
}

const isUpstream = (method: AccessMethod): boolean => method !== "archive";
