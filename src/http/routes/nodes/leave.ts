import type { HttpContext } from "../../context.ts";
import { authenticatedNode } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

/** The node's jobs return to the queue immediately. */
export function addLeaveRoute(app: TypedApp, context: Pick<HttpContext, "nodes">): void {
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/leave",
    handler: async (request, reply) => {
      await context.nodes.leave(authenticatedNode(request));
      return reply.code(204).send();
    },
  });
}
