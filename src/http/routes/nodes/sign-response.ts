import type { FastifyReply, FastifyRequest } from "fastify";
import type { NodeGateway } from "../../../remote/gateway/gateway.ts";
import { gatewaySignatureField } from "../../../remote/protocol/gateway-response.ts";

const maxInputLength = 512;

/** Responses to requests without `Signature-Input` are not signed. */
export function signResponseHook(nodes: Pick<NodeGateway, "signResponse">) {
  return async (request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<void> => {
    const signatureInput = request.headers["signature-input"];
    if (typeof signatureInput !== "string" || signatureInput.length > maxInputLength) return;
    const signature = nodes.signResponse({
      signatureInput,
      path: request.raw.url ?? "",
      status: reply.statusCode,
      body: typeof body === "string" || body instanceof Uint8Array ? body : "",
    });
    reply.header(gatewaySignatureField, signature);
  };
}
