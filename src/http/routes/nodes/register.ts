import type { FastifyRequest } from "fastify";
import { type Registration, registration } from "../../../remote/protocol/messages.ts";
import { readSignedRequest } from "../../../remote/protocol/signed-request.ts";
import { hashKeyId } from "../../../remote/protocol/statement.ts";
import type { HttpContext } from "../../context.ts";
import {
  nodeUnauthorizedProblem,
  requireSignedBody,
  toSignedRequest,
} from "../../middleware/signed-request.ts";
import type { TypedApp } from "../typed-app.ts";
import { signResponseHook } from "./sign-response.ts";

/** Several times the size of valid evidence. */
const maxBytes = 262_144;

/** Errors: `node_unauthorized`, `node_refused`, `unavailable`. */
export function addRegisterRoute(app: TypedApp, { nodes }: Pick<HttpContext, "nodes">): void {
  app.route({
    method: "POST",
    url: "/internal/nodes/register",
    bodyLimit: maxBytes,
    onSend: signResponseHook(nodes),
    onRequest: async (request) =>
      nodes.requireEnrolled(toSignedRequest(request), request.callerAddress),
    config: { checkBody: requireSignedBody },
    schema: { body: registration },
    handler: async (request, reply) => {
      requireOwnSignature(request, request.body);
      const admission = await nodes.register(request.body, request.callerAddress);
      return reply.header("cache-control", "no-store").send(admission);
    },
  });
}

/** Requires a signature with the stated key. */
function requireOwnSignature(request: FastifyRequest, { statement }: Registration): void {
  const sender = readSignedRequest(toSignedRequest(request));
  if (sender.keyId !== hashKeyId(statement)) {
    throw nodeUnauthorizedProblem(
      "unknown_key",
      "the request was signed by a key other than the statement's",
    );
  }
  if (!sender.isSignedBy(statement.signing_key)) {
    throw nodeUnauthorizedProblem("bad_signature", "the signature does not match the stated key");
  }
}
