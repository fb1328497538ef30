import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/fetched-answer.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { base64url } from "../protocol/encoding.ts";
import { enrolmentField, enrolmentProof } from "../protocol/enrolment.ts";
import {
  type GatewayAnswer,
  gatewaySignatureField,
  isGatewayAnswer,
} from "../protocol/gateway-answer.ts";
import type { RunKeys } from "../protocol/keys.ts";
import { challengeAnswer } from "../protocol/messages.ts";
import { signRequest } from "../protocol/signed-request.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import { faultOf, isUnreachable, notTheGateways, passing, unreachable } from "./gateway-faults.ts";
import type { GatewayPin } from "./gateway-pin.ts";
import type { Reachability } from "./reachability.ts";

/** What a gateway can be asked under /internal/nodes. */
type GatewayRoute =
  | "challenge"
  | "register"
  | "lease"
  | "renew"
  | "complete"
  | "fail"
  | "leave"
  | "introspect";

type PostOptions = {
  signal?: AbortSignal;
  /** How long the gateway may hold the request before it answers. */
  heldMs?: number;
};

/**
 * The way to the gateway: JSON there and back, each request signed with the key of the run, each answer with that of the
 * gateway, so that what stands between the two can tell the node nothing.
 */
export type GatewayLink = {
  /**
   * The JSON of the answer; null where it has none. Errors: `gateway_unreachable` (retryable) when there is no answer, or none
   * that the gateway has signed; else those of the gateway with its codes; or the signal's reason.
   */
  post(route: GatewayRoute, body: unknown, options?: PostOptions): Promise<unknown>;
};

export type GatewayLinkContext = {
  /** Its address, without a slash at its end; what it answers to lies below its path. */
  gatewayUrl: string;
  fetch: GuardedFetch;
  keys: RunKeys;
  keyId: string;
  enrolmentToken: string;
  /** Whose answers count. A challenge may tell another key, and has to be signed with that one: whether it is the right one is for the caller to see. */
  pin: Pick<GatewayPin, "key">;
  clock: Pick<Clock, "elapsed">;
  gatewayClock: Pick<GatewayClock, "now">;
  reachability: Pick<Reachability, "answered" | "failed">;
  timeoutMs: number;
};

/** Longer than any envelope of a job. */
const mostAnswerBytes = 2 * 1024 ** 2;

/** A large result takes its time: so much of it, in bytes, is on its way each millisecond at the least. */
const leastBytesPerMs = 64;

export function createGatewayLink(context: GatewayLinkContext): GatewayLink {
  const { clock, reachability } = context;
  const { host } = new URL(context.gatewayUrl);

  async function post(
    route: GatewayRoute,
    body: unknown,
    options: PostOptions = {},
  ): Promise<unknown> {
    const sentMs = clock.elapsed();
    try {
      const { answer, asked } = await send(context, route, JSON.stringify(body), options);
      if (!passing.includes(answer.status) && !isGateways(context, answer, asked)) {
        throw notTheGateways(answer, host);
      }
      const content = contentOf(answer, host);
      reachability.answered();
      return content;
    } catch (fault) {
      if (isUnreachable(fault)) reachability.failed(sentMs, fault);
      throw fault;
    }
  }

  return { post };
}

const pathOf = (route: GatewayRoute): string => `/internal/nodes/${route}`;

const challengePath = pathOf("challenge");

/** What needs no attestation, and therefore the enrolment token. */
const attestRoutes: readonly GatewayRoute[] = ["challenge", "register"];

type Asked = Pick<GatewayAnswer, "path" | "signatureInput">;

async function send(
  context: GatewayLinkContext,
  route: GatewayRoute,
  body: string,
  { signal, heldMs = 0 }: PostOptions,
): Promise<{ answer: FetchedAnswer; asked: Asked }> {
  const { gatewayUrl, fetch, keys, keyId, gatewayClock } = context;
  // What the gateway sees of the address, whatever path a proxy has put before it.
  const path = pathOf(route);
  const bytes = Buffer.from(body);
  const signed = signRequest(
    {
      method: "POST",
      path,
      body: bytes,
      keyId,
      nowMs: gatewayClock.now(),
      nonce: base64url(randomBytes(16)),
    },
    keys,
  );
  const signatureInput = signed["signature-input"] ?? "";
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...signed,
    ...(attestRoutes.includes(route)
      ? { [enrolmentField]: enrolmentProof(context.enrolmentToken, signatureInput) }
      : {}),
  };
  try {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method: "POST",
      body,
      headers,
      maxBytes: mostAnswerBytes,
      timeoutMs: context.timeoutMs + heldMs + Math.ceil(bytes.length / leastBytesPerMs),
      ...(signal === undefined ? {} : { signal }),
    });
    return { answer, asked: { path, signatureInput } };
  } catch (fault) {
    if (signal?.aborted) throw signal.reason;
    throw unreachable(messageOf(fault), fault);
  }
}

/** Whether the gateway has given this answer to this request. */
function isGateways({ pin }: GatewayLinkContext, answer: FetchedAnswer, asked: Asked): boolean {
  const signature = answer.headers.get(gatewaySignatureField);
  const key = toldKey(asked, answer) ?? pin.key();
  if (signature === null || key === null) return false;
  return isGatewayAnswer({ ...asked, status: answer.status, body: answer.body }, signature, key);
}

/** The key that a challenge tells; null for all else. */
function toldKey({ path }: Asked, answer: FetchedAnswer): string | null {
  if (path !== challengePath || answer.status !== 200) return null;
  try {
    return challengeAnswer.safeParse(answer.json()).data?.gateway_key ?? null;
  } catch {
    return null;
  }
}

function contentOf(answer: FetchedAnswer, host: string): unknown {
  if (answer.status === 204) return null;
  if (answer.status !== 200) throw faultOf(answer, host);
  try {
    return answer.json();
  } catch (fault) {
    throw unreachable(messageOf(fault), fault);
  }
}
