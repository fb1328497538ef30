import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/fetched-answer.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { base64 } from "../protocol/encoding.ts";
import { enrolmentField, enrolmentProof } from "../protocol/enrolment.ts";
import {
  type GatewayAnswer,
  gatewaySignatureField,
  isGatewayAnswer,
} from "../protocol/gateway-answer.ts";
import type { RunKeys } from "../protocol/keys.ts";
import { challengeAnswer } from "../protocol/messages.ts";
import { signRequest } from "../protocol/signed-request.ts";
import {
  codeOf,
  errorOf,
  failedCheckOf,
  isUnreachable,
  notFromGateway,
  transientStatuses,
  unreachable,
} from "./gateway-errors.ts";
import type { GatewayClock, GatewayPin, Reachability } from "./gateway-state.ts";

type GatewayRoute = "challenge" | "register" | "lease" | "renew" | "complete" | "fail" | "leave";

type PostOptions = {
  signal?: AbortSignal;
  heldMs?: number;
};

/** Requests and answers are signed: nothing in between can steer the node. */
export type GatewayLink = {
  /** Null without content. Errors: `gateway_unreachable` without a signed answer. */
  post(route: GatewayRoute, body: unknown, options?: PostOptions): Promise<unknown>;
};

export type GatewayLinkContext = {
  gatewayUrl: string;
  fetch: GuardedFetch;
  keys: RunKeys;
  keyId: string;
  enrolmentToken: string;
  /** The caller checks the key that a challenge names. */
  pin: Pick<GatewayPin, "key">;
  clock: Pick<Clock, "elapsed">;
  gatewayClock: Pick<GatewayClock, "now">;
  reachability: Pick<Reachability, "answered" | "failed">;
  onUnknown: (sentMs: number) => void;
  timeoutMs: number;
};

const mostAnswerBytes = 2 * 1024 ** 2;
/** Slowest upload within the timeout. */
const leastBytesPerMs = 64;
/** Need the enrolment token instead of an attestation. */
const attestRoutes: readonly GatewayRoute[] = ["challenge", "register"];

export function createGatewayLink(context: GatewayLinkContext): GatewayLink {
  const { clock, pin, reachability, onUnknown } = context;
  const { host } = new URL(context.gatewayUrl);

  function contentOf(answer: FetchedAnswer, sent: SentRequest): unknown {
    const { status, body, headers } = answer;
    if (!transientStatuses.includes(status)) {
      const signature = headers.get(gatewaySignatureField);
      const key = challengeKey(sent, answer) ?? pin.key();
      const isSigned =
        signature !== null &&
        key !== null &&
        isGatewayAnswer({ ...sent, status, body }, signature, key);
      if (!isSigned) throw notFromGateway(answer, host);
    }
    if (status === 204) return null;
    if (status !== 200) throw errorOf(answer, host);
    try {
      return answer.json();
    } catch (error) {
      throw unreachable(messageOf(error), error);
    }
  }

  return {
    post: async (route, body, options = {}) => {
      const sentMs = clock.elapsed();
      try {
        const { answer, sent } = await send(context, route, JSON.stringify(body), options);
        const content = contentOf(answer, sent);
        reachability.answered();
        return content;
      } catch (error) {
        if (isUnreachable(error)) reachability.failed(sentMs, error);
        const isUnknown =
          codeOf(error) === "node_unauthorized" || failedCheckOf(error) === "other_signature";
        if (isUnknown && !attestRoutes.includes(route)) onUnknown(sentMs);
        throw error;
      }
    },
  };
}

type SentRequest = Pick<GatewayAnswer, "path" | "signatureInput">;

async function send(
  context: GatewayLinkContext,
  route: GatewayRoute,
  body: string,
  { signal, heldMs = 0 }: PostOptions,
): Promise<{ answer: FetchedAnswer; sent: SentRequest }> {
  const { gatewayUrl, fetch, keys, keyId, gatewayClock, enrolmentToken } = context;
  // As the gateway sees it, without a prefix that a proxy strips.
  const path = pathOf(route);
  const bytes = Buffer.from(body);
  const nonce = base64(randomBytes(16));
  const nowMs = gatewayClock.now();
  const signed = signRequest({ method: "POST", path, body: bytes, keyId, nowMs, nonce }, keys);
  const signatureInput = signed["signature-input"] ?? "";
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json",
    ...signed,
  };
  if (attestRoutes.includes(route)) {
    headers[enrolmentField] = enrolmentProof(enrolmentToken, signatureInput);
  }
  try {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method: "POST",
      body,
      headers,
      maxBytes: mostAnswerBytes,
      timeoutMs: context.timeoutMs + heldMs + Math.ceil(bytes.length / leastBytesPerMs),
      ...(signal && { signal }),
    });
    return { answer, sent: { path, signatureInput } };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw unreachable(messageOf(error), error);
  }
}

const pathOf = (route: GatewayRoute): string => `/internal/nodes/${route}`;

function challengeKey({ path }: SentRequest, answer: FetchedAnswer): string | null {
  if (path !== pathOf("challenge") || answer.status !== 200) return null;
  try {
    return challengeAnswer.safeParse(answer.json()).data?.gateway_key ?? null;
  } catch {
    return null;
  }
}
