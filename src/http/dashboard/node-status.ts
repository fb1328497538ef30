import { embeddedNodeId } from "../../jobs/leases/lease.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { NodeGateway, NodeView } from "../../remote/gateway/gateway.ts";
import type { GatewaySettings } from "../../remote/settings.ts";
import { isoOrNull } from "../submission/window.ts";
import type { InsecureEvidence } from "./contract/session.ts";
import type { NodeStatusResponse } from "./contract/status.ts";

export type EmbeddedNode = {
  mode: GatewaySettings["embedded"];
  running: number;
  concurrency: number;
  /** Jobs since the server started. */
  jobs: number;
};

type Claims = Pick<NodeStatusResponse, "proves" | "does_not_prove">;

const claims: Readonly<Record<NodeStatusResponse["evidence"], Claims>> = {
  tdx: {
    proves:
      "That an Intel TDX machine measured code that the policy allows, and that the keys that sign its results exist only in its memory.",
    does_not_prove:
      "That the platform's data is true, or that no one else saw the query: this server reads it.",
  },
  simulated: {
    proves:
      "That evidence is verified. Nothing about the machine: anyone can create such evidence.",
    does_not_prove: "Which code ran, on which machine, or that any protected hardware exists.",
  },
  none: {
    proves: "That its results come from the holder of its keys.",
    does_not_prove: "Which code ran, on which machine, or who else saw the query.",
  },
};

const embeddedClaims: Claims = {
  proves: "Nothing: trust it as you trust this server.",
  does_not_prove: "Which code ran, on which machine, or who else saw the query.",
};

export function nodeStatus(node: NodeView): NodeStatusResponse {
  return {
    id: node.id,
    name: node.name,
    evidence: node.evidence,
    ...claims[node.evidence],
    state: node.state === "removed" ? "draining" : node.state,
    is_connected: node.isConnected,
    is_spare: false,
    platforms: platforms.filter((platform) =>
      node.capabilities.some((capability) => capability.platform === platform),
    ),
    running: node.running,
    concurrency: node.concurrency,
    connected_at: node.isConnected ? isoOrNull(node.connectedMs) : null,
    attested_at: isoOrNull(node.attestedMs),
    seen_at: isoOrNull(node.seenMs),
    quarantine:
      node.state === "quarantined"
        ? {
            reason: node.quarantineReason ?? "unknown reason",
            until: isoOrNull(node.quarantinedUntilMs),
          }
        : null,
    jobs: node.jobsDone,
    jobs_failed: node.jobsFailed,
  };
}

/** Empty if the embedded node is off. */
export function embeddedStatus(
  { mode, running, concurrency, jobs }: EmbeddedNode,
  enabledPlatforms: readonly Platform[],
): readonly NodeStatusResponse[] {
  if (mode === "off") return [];
  return [
    {
      id: embeddedNodeId,
      name: "embedded",
      evidence: "none",
      ...embeddedClaims,
      state: "approved",
      is_connected: true,
      is_spare: mode === "spare",
      platforms: enabledPlatforms,
      running,
      concurrency,
      connected_at: null,
      attested_at: null,
      seen_at: null,
      quarantine: null,
      jobs,
      jobs_failed: 0,
    },
  ];
}

export function insecureEvidence(
  gateway: Pick<NodeGateway, "policy" | "nodes">,
): InsecureEvidence[] {
  const connectedNodes = gateway.nodes().filter(({ isConnected }) => isConnected);
  const evidenceKinds = new Set([
    ...gateway.policy().evidence,
    ...connectedNodes.map(({ evidence }) => evidence),
  ]);
  return (["simulated", "none"] as const).filter((kind) => evidenceKinds.has(kind));
}
