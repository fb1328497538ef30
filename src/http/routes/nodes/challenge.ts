import type { HttpContext } from "../../context.ts";
import { toSignedRequest } from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signResponseHook } from "./sign-response.ts";

/** Enough for `{}` with whitespace. */
const maxBytes = 256;

/** Issues the nonce for the evidence of an enrolled node. */
export function addChallengeRoute(app: TypedApp, { nodes }: Pick<HttpContext, "nodes">): void {
  app.route({
    method: "POST",
    url: "/internal/nodes/challenge",
    bodyLimit: maxBytes,
    onSend: signResponseHook(nodes),
    onRequest: async (request) =>
      nodes.requireEnrolled(toSignedRequest(request), request.callerAddress),
    handler: async (_request, reply) =>
      reply.header("cache-control", "no-store").send(nodes.challenge()),
  });
}
