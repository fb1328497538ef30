import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { encryptedAnswerBody } from "../../../remote/protocol/messages.ts";
import { maxResultBytes } from "../../../remote/settings.ts";
import type { HttpContext } from "../../context.ts";
import { authenticatedNode, nodeHook } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

/** Errors: `lease_lost`; `node_answer_refused`, after which the job is retried. */
export function addCompleteRoute(
  app: TypedApp,
  context: Pick<HttpContext, "nodes" | "settings">,
): void {
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/complete",
    bodyLimit: maxResultBytes,
    onRequest: [
      nodeHook(context.nodes),
      async (request, reply) => {
        reply.raw.once("close", context.nodes.completion.begin(authenticatedNode(request)));
      },
    ],
    schema: { body: encryptedAnswerBody },
    handler: async (request, reply) => {
      // Parsing may have blocked the event loop.
      await yieldToEventLoop();
      await context.nodes.completion.complete(authenticatedNode(request), request.body);
      return reply.code(204).send();
    },
  });
}
