import type { FastifyRequest } from "fastify";
import type { NodeGateway, NodeSession } from "../../remote/gateway/gateway.ts";
import { makeContentDigest } from "../../remote/protocol/signed-fields.ts";
import type { SignedRequest } from "../../remote/protocol/signed-request.ts";
import { problem } from "../problems/write-problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    node: NodeSession | null;
  }
}

/** Verifies the signature over method, path and body digest, before the body is read. Errors: `node_unauthorized`. */
export function nodeHook(nodes: Pick<NodeGateway, "authenticate">) {
  return async (request: FastifyRequest): Promise<void> => {
    request.node = nodes.authenticate(toSignedRequest(request));
  };
}

export function toSignedRequest({ method, raw, headers }: FastifyRequest): SignedRequest {
  const singleValues = Object.entries(headers).map(([name, value]) => [name, value?.toString()]);
  return { method, path: raw.url ?? "", headers: Object.fromEntries(singleValues), body: null };
}

/** For a route's `checkBody`. */
export function requireSignedBody({ headers }: FastifyRequest, body: Buffer): void {
  if (headers["content-digest"]?.toString() === makeContentDigest(body)) return;
  throw nodeUnauthorizedProblem("content_digest", "the body differs from the signed one");
}

export function authenticatedNode(request: FastifyRequest): NodeSession {
  if (request.node === null) throw problem("internal", "the route does not identify the node");
  return request.node;
}

export function nodeUnauthorizedProblem(check: string, message: string) {
  return problem("node_unauthorized", message, { details: [{ code: check, message }] });
}
