import { base64, bytesOf, frame, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

export const gatewaySignatureField = "earshot-gateway-signature";

export type GatewayAnswer = {
  signatureInput: string;
  path: string;
  status: number;
  body: string | Uint8Array;
};

/** No one in between can alter or replay an answer. */
export function signGatewayAnswer(
  answer: GatewayAnswer,
  gateway: { sign(message: Uint8Array): Uint8Array },
): string {
  return base64(gateway.sign(messageOf(answer)));
}

export function isGatewayAnswer(
  answer: GatewayAnswer,
  signature: string,
  gatewayKey: string,
): boolean {
  return isSignedBy(gatewayKey, messageOf(answer), bytesOf(signature, 64));
}

const messageOf = ({ signatureInput, path, status, body }: GatewayAnswer): Buffer =>
  frame("earshot-gateway-answer/v1", signatureInput, path, status, sha256(body));
