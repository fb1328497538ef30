import { renewBody } from "../../../remote/protocol/messages.ts";
import type { HttpContext } from "../../context.ts";
import { authenticatedNode } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

/** Errors: `lease_lost`. */
export function addRenewRoute(app: TypedApp, context: Pick<HttpContext, "nodes">): void {
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/renew",
    schema: { body: renewBody },
    handler: async (request, reply) => {
      const { job, token } = request.body;
      const leaseMs = await context.nodes.completion.renew(authenticatedNode(request), job, token);
      return reply.header("cache-control", "no-store").send({ hold_ms: leaseMs });
    },
  });
}
