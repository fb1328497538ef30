import { base64, bytesOf, frame, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

export const gatewaySignatureField = "earshot-gateway-signature";

export type GatewayResponse = {
  signatureInput: string;
  path: string;
  status: number;
  body: string | Uint8Array;
};

/** No intermediary can alter or replay a response. */
export function signGatewayResponse(
  response: GatewayResponse,
  gateway: { sign(message: Uint8Array): Uint8Array },
): string {
  return base64(gateway.sign(messageOf(response)));
}

export function isGatewayResponse(
  response: GatewayResponse,
  signature: string,
  gatewayKey: string,
): boolean {
  return isSignedBy(gatewayKey, messageOf(response), bytesOf(signature, 64));
}

const messageOf = ({ signatureInput, path, status, body }: GatewayResponse): Buffer =>
  frame("earshot-gateway-answer/v1", signatureInput, path, status, sha256(body));
