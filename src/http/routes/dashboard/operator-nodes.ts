import { type NodeSurvey, nodeChanges } from "../../../accounts/admin/node-operations.ts";
import type { NodeView } from "../../../remote/gateway/gateway.ts";
import type { NodeRecord } from "../../../remote/gateway/node-record.ts";
import type { HttpContext } from "../../context.ts";
import type { NodeListing, NodesResponse } from "../../dashboard/contract/operator.ts";
import { nodeStatus } from "../../dashboard/node-status.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { nodePath } from "../../schemas/accounts.ts";
import { iso } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "operator" as const };
const hiddenSchema = { hide: true };
const path = "/dashboard/api/operator/nodes";

const maxEvents = 50;

export function addOperatorNodeRoutes(app: TypedApp, context: HttpContext): void {
  const { accounts, clock, nodes } = context;

  async function respond(): Promise<NodesResponse> {
    const survey = await accounts.read("surveyNodes", { limit: maxEvents });
    return nodesResponse(survey, nodes.nodes(), clock.now());
  }

  app.route({
    method: "GET",
    url: path,
    config,
    schema: hiddenSchema,
    handler: () => respond(),
  });

  for (const change of nodeChanges) {
    app.route({
      method: "POST",
      url: `${path}/:id/${change}`,
      config,
      schema: { ...hiddenSchema, params: nodePath },
      handler: async (request): Promise<NodesResponse> => {
        const actor = { accountId: requireCaller(request).accountId };
        const params = { nodeId: request.params.id, change, actor, nowMs: clock.now() };
        await accounts.write("changeNode", params);
        return await respond();
      },
    });
  }
}

/** The store has every change; the gateway adds live state. */
export function nodesResponse(
  { nodes, events }: NodeSurvey,
  views: readonly NodeView[],
  nowMs: number,
): NodesResponse {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const findName = (id: string) => names.get(id) ?? id;
  const viewsById = new Map(views.map((view) => [view.id, view]));
  return {
    nodes: nodes
      .filter(({ state }) => state !== "removed")
      .map((node) => nodeListing(node, viewsById.get(node.id), nowMs)),
    events: events.map(({ atMs, nodeId, action, detail }) => ({
      at: iso(atMs),
      node: nodeId === null ? null : findName(nodeId),
      action,
      detail,
    })),
  };
}

function nodeListing(node: NodeRecord, view: NodeView | undefined, nowMs: number): NodeListing {
  const { version, image, machine, isListed } = node;
  const isQuarantined =
    node.state === "approved" &&
    node.quarantinedUntilMs !== null &&
    node.quarantinedUntilMs > nowMs;
  const state = isQuarantined ? "quarantined" : node.state;
  const liveState = view ?? {
    keyId: null,
    isConnected: false,
    takes: [],
    running: 0,
    connectedMs: null,
  };
  return {
    ...nodeStatus({ ...node, ...liveState, state }),
    version,
    image,
    machine,
    is_listed: isListed,
  };
}
