import type { TypedApp } from "../routes/typed-app.ts";
import type { NodeAppContext } from "./context.ts";

/** GET /readyz: 200 while attested, until shutdown is announced. */
export function addNodeReadyzRoute(app: TypedApp, { node, status }: NodeAppContext): void {
  app.route({
    method: "GET",
    url: "/readyz",
    schema: {},
    handler: async (_request, reply) => {
      const { state, isAttested } = status();
      const stops = app.shutdown.isAnnounced();
      const body = {
        status: stops ? "stopping" : isAttested ? "ready" : "not ready",
        node: node.id,
        evidence: node.evidence,
        gateway: state,
      };
      return reply
        .code(isAttested && !stops ? 200 : 503)
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(body));
    },
  });
}
