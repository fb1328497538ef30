import type { TypedApp } from "../routes/typed-app.ts";
import type { NodeAppContext } from "./context.ts";

/** GET /readyz of a node: 200 while it is attested, so that it can let callers in and sign what it answers. */
export function addNodeReadyzRoute(app: TypedApp, { node, standing }: NodeAppContext): void {
  app.route({
    method: "GET",
    url: "/readyz",
    schema: {},
    handler: async (_request, reply) => {
      const { state, isAttested } = standing();
      const body = {
        status: isAttested ? "ready" : "not ready",
        node: node.id,
        evidence: node.evidence,
        gateway: state,
      };
      return reply
        .code(isAttested ? 200 : 503)
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(body));
    },
  });
}
