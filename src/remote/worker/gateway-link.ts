import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/fetched-response.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import { enrolmentField, enrolmentProof } from "../protocol/enrolment.ts";
import { gatewaySignatureField, isGatewayResponse } from "../protocol/gateway-response.ts";
import type { RunKeys } from "../protocol/keys.ts";
import { challengeResponse } from "../protocol/messages.ts";
import { signRequest } from "../protocol/signed-request.ts";
import {
  errorCode,
  findFailedCheck,
  isUnreachable,
  notFromGateway,
  responseError,
  responseJson,
  transientStatuses,
  unreachable,
} from "./gateway-errors.ts";
import type { GatewayClock, GatewayPin, Reachability } from "./gateway-state.ts";

type GatewayRoute = "challenge" | "register" | "lease" | "renew" | "complete" | "fail" | "leave";

type PostOptions = {
  signal?: AbortSignal;
  openMs?: number;
};

export type GatewayLinkContext = {
  gatewayUrl: string;
  fetch: GuardedFetch;
  keys: RunKeys;
  keyId: string;
  enrolmentToken: string;
  /** The caller must check the key that a challenge names. */
  pin: Pick<GatewayPin, "key">;
  clock: Pick<Clock, "elapsed">;
  gatewayClock: Pick<GatewayClock, "now">;
  reachability: Pick<Reachability, "recordResponse" | "recordNetworkFailure">;
  onUnknownNode: (sentMs: number) => void;
  timeoutMs: number;
};

const maxResponseBytes = 2 * 1024 ** 2;
/** The slowest expected upload, by which the timeout grows with the body. */
const minBytesPerMs = 64;
/** Called before attestation, with a proof of the enrolment token. */
const enrolmentRoutes: readonly GatewayRoute[] = ["challenge", "register"];

/** Requests and responses are signed, so that no proxy can forge them. */
export type GatewayLink = ReturnType<typeof createGatewayLink>;

export function createGatewayLink(context: GatewayLinkContext) {
  const { gatewayUrl, fetch, keys, keyId, clock, gatewayClock, pin, reachability } = context;
  const { host } = new URL(gatewayUrl);

  async function exchange(
    route: GatewayRoute,
    body: unknown,
    { signal, openMs = 0 }: PostOptions,
  ): Promise<unknown> {
    // The path that the gateway sees, without a prefix that a proxy strips.
    const path = `/internal/nodes/${route}`;
    const text = JSON.stringify(body);
    const bytes = Buffer.from(text);
    const requestToSign = { method: "POST", path, body: bytes, keyId, nowMs: gatewayClock.now() };
    const signatureHeaders = signRequest(
      { ...requestToSign, nonce: encodeBase64Url(randomBytes(16)) },
      keys,
    );
    const signatureInput = signatureHeaders["signature-input"];
    const response = await fetch(`${gatewayUrl}${path}`, {
      method: "POST",
      body: text,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...signatureHeaders,
        ...(enrolmentRoutes.includes(route) && {
          [enrolmentField]: enrolmentProof(context.enrolmentToken, signatureInput),
        }),
      },
      maxBytes: maxResponseBytes,
      timeoutMs: context.timeoutMs + openMs + Math.ceil(bytes.length / minBytesPerMs),
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw unreachable(errorMessage(cause), { cause });
    });
    const { status } = response;
    if (!transientStatuses.includes(status)) {
      const signature = response.headers.get(gatewaySignatureField) ?? "";
      const key = (route === "challenge" ? challengeKey(response) : null) ?? pin.key() ?? "";
      const signedResponse = { path, signatureInput, status, body: response.body };
      if (!isGatewayResponse(signedResponse, signature, key)) throw notFromGateway(response, host);
    }
    if (status === 204) return null;
    if (status !== 200) throw responseError(response, host);
    try {
      return response.json();
    } catch (cause) {
      throw unreachable(errorMessage(cause), { cause });
    }
  }

  return {
    /** Null if the response has no content. Errors: `gateway_unreachable`; those of the gateway. */
    post: async (
      route: GatewayRoute,
      body: unknown,
      options: PostOptions = {},
    ): Promise<unknown> => {
      const sentMs = clock.elapsed();
      try {
        const content = await exchange(route, body, options);
        reachability.recordResponse();
        return content;
      } catch (error) {
        if (isUnreachable(error)) reachability.recordNetworkFailure(sentMs, error);
        const isUnknown =
          errorCode(error) === "node_unauthorized" || findFailedCheck(error) === "other_signature";
        if (isUnknown && !enrolmentRoutes.includes(route)) context.onUnknownNode(sentMs);
        throw error;
      }
    },
  };
}

function challengeKey(response: FetchedResponse): string | null {
  if (response.status !== 200) return null;
  return challengeResponse.safeParse(responseJson(response)).data?.gateway_key ?? null;
}
