import { leaseBody } from "../../../remote/protocol/messages.ts";
import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { authenticatedNode } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

/** Without a job, returns 204 after the requested wait or on shutdown. */
export function addLeaseRoute(
  app: TypedApp,
  context: Pick<HttpContext, "nodes">,
  pendingRequests: Pick<PendingRequests, "openForNode">,
): void {
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/lease",
    schema: { body: leaseBody },
    handler: async (request, reply) => {
      const signal = pendingRequests.openForNode(reply);
      const envelope = await context.nodes.dispatch.lease(
        authenticatedNode(request),
        request.body,
        signal,
      );
      reply.header("cache-control", "no-store");
      return envelope === null ? reply.code(204).send() : reply.send(envelope);
    },
  });
}
