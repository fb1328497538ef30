import { isoText } from "../../../lib/iso-time.ts";
import type { NodeView } from "../../../remote/gateway/gateway.ts";
import type { HttpContext } from "../../context.ts";
import { nodeList } from "../../schemas/nodes.ts";
import { jsonResponse } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

export function addNodesRoute(app: TypedApp, context: Pick<HttpContext, "nodes" | "settings">) {
  app.route({
    method: "GET",
    url: "/v1/nodes",
    schema: {
      operationId: "listNodes",
      summary: "List nodes",
      tags: ["attestation"],
      response: { 200: jsonResponse("The admitted nodes, oldest first.", nodeList) },
    },
    handler: async (_request, reply) => {
      const { nodes, settings } = context;
      return reply
        .header("cache-control", "public, max-age=5")
        .type("application/json; charset=utf-8")
        .send(
          JSON.stringify({
            embedded: settings.embedded,
            evidence: nodes.policy().evidence,
            nodes: nodes.nodes().filter(isAdmitted).map(nodeBody),
          }),
        );
    },
  });
}

/** Claims of unapproved nodes are untrusted. */
const isAdmitted = ({ state }: NodeView): boolean => state !== "pending" && state !== "removed";

function nodeBody(node: NodeView) {
  return {
    id: node.id,
    name: node.name,
    evidence: node.evidence,
    state: node.state,
    connected: node.isConnected,
    capabilities: node.capabilities,
    url: null,
    version: node.version,
    key_id: node.keyId,
    attestation: node.attestationId,
    attested_at: isoText(node.attestedMs),
  };
}
