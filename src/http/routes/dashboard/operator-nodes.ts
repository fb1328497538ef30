import { nodeChanges } from "../../../accounts/admin/node-operations.ts";
import type { HttpContext } from "../../context.ts";
import type { NodesResponse } from "../../dashboard/contract/operator.ts";
import { nodesResponse } from "../../dashboard/nodes-answer.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { nodePath } from "../../schemas/accounts.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "operator" as const };
const hide = { hide: true };
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
    schema: hide,
    handler: () => respond(),
  });

  for (const change of nodeChanges) {
    app.route({
      method: "POST",
      url: `${path}/:id/${change}`,
      config,
      schema: { ...hide, params: nodePath },
      handler: async (request): Promise<NodesResponse> => {
        const actor = { accountId: requireCaller(request).accountId };
        const params = { nodeId: request.params.id, change, actor, nowMs: clock.now() };
        await accounts.write("changeNode", params);
        return await respond();
      },
    });
  }
}
