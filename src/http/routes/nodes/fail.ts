import { encryptedAnswerBody } from "../../../remote/protocol/messages.ts";
import type { HttpContext } from "../../context.ts";
import { authenticatedNode } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

/** Errors: `lease_lost`, `node_answer_refused`. */
export function addFailRoute(app: TypedApp, context: Pick<HttpContext, "nodes">): void {
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/fail",
    schema: { body: encryptedAnswerBody },
    handler: async (request, reply) => {
      await context.nodes.completion.fail(authenticatedNode(request), request.body);
      return reply.code(204).send();
    },
  });
}
