import { base64url, bytesOf, frame, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

/** The field in which a gateway vouches for an answer to a node. */
export const gatewaySignatureField = "earshot-gateway-signature";

/** An answer of a gateway, and the request that it is for. */
export type GatewayAnswer = {
  /** `Signature-Input` of the request as it was sent: with its nonce and key no other request has the same. */
  signatureInput: string;
  /** The path of the request, as the gateway sees it. */
  path: string;
  status: number;
  /** As it is sent; empty where there is none. */
  body: string | Uint8Array;
};

/** The signature of an answer, base64url: whoever stands between gateway and node can neither change nor repeat it. */
export function signGatewayAnswer(
  answer: GatewayAnswer,
  gateway: { sign(message: Uint8Array): Uint8Array },
): string {
  return base64url(gateway.sign(messageOf(answer)));
}

/** Whether the gateway of this key has given this answer. False for anything malformed. */
export function isGatewayAnswer(
  answer: GatewayAnswer,
  signature: string,
  gatewayKey: string,
): boolean {
  const bytes = bytesOf(signature, 64);
  return bytes !== null && isSignedBy(gatewayKey, messageOf(answer), bytes);
}

const messageOf = ({ signatureInput, path, status, body }: GatewayAnswer): Buffer =>
  frame("earshot-gateway-answer/v1", signatureInput, path, status, sha256(body));
