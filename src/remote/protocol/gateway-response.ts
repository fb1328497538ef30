import { decodeBase64Url, encodeBase64Url, frame, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

export const gatewaySignatureField = "earshot-gateway-signature";

export type GatewayResponse = {
  signatureInput: string;
  path: string;
  status: number;
  body: string | Uint8Array;
};

/** Prevents intermediaries from altering a response or sending it again. */
export function signGatewayResponse(
  response: GatewayResponse,
  gateway: { sign(message: Uint8Array): Uint8Array },
): string {
  return encodeBase64Url(gateway.sign(signedMessage(response)));
}

export function isGatewayResponse(
  response: GatewayResponse,
  signature: string,
  gatewayKey: string,
): boolean {
  return isSignedBy(gatewayKey, signedMessage(response), decodeBase64Url(signature, 64));
}

const signedMessage = ({ signatureInput, path, status, body }: GatewayResponse): Buffer =>
  frame("earshot-gateway-answer/v1", signatureInput, path, status, sha256(body));
