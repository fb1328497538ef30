import type { FastifyRequest } from "fastify";
import type { NodeGateway, NodeSession } from "../../remote/gateway/gateway.ts";
import { isBodyOf, type SignedRequest } from "../../remote/protocol/signed-request.ts";
import { problem } from "../problems/write-problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The node that has signed the request; null where none has to. */
    node: NodeSession | null;
  }
}

/**
 * Which node calls, by the signature over method, path and the digest of the body. It is looked at before the body is read, so
 * that a stranger's body costs nothing. Errors: `node_unauthorized`.
 */
export function nodeHook(nodes: Pick<NodeGateway, "enter">) {
  return async (request: FastifyRequest): Promise<void> => {
    request.node = nodes.enter(signedPart(request));
  };
}

/** What of a request the signature covers, without its body. */
export function signedPart({ method, raw, headers }: FastifyRequest): SignedRequest {
  const single = Object.entries(headers).map(([name, value]) => [name, value?.toString()]);
  return { method, path: raw.url ?? "", headers: Object.fromEntries(single), body: null };
}

/** Refuses a body that is not the one whose digest was signed. For `checkBody` of a route. */
export function requireSignedBody({ headers }: FastifyRequest, body: Buffer): void {
  const digest = headers["content-digest"]?.toString();
  if (isBodyOf({ "content-digest": digest }, body)) return;
  throw nodeUnauthorized("content_digest", "the body is not the one that was signed");
}

/** The node of a route that needs one. */
export function nodeOf(request: FastifyRequest): NodeSession {
  if (request.node === null) throw problem("internal", "the route does not ask which node calls");
  return request.node;
}

export function nodeUnauthorized(check: string, message: string) {
  return problem("node_unauthorized", message, { details: [{ code: check, message }] });
}
