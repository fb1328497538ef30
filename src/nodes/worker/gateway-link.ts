import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/fetched-answer.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { base64url } from "../protocol/encoding.ts";
import type { RunKeys } from "../protocol/keys.ts";
import { signRequest } from "../protocol/signed-request.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import { faultOf, isUnreachable, unreachable } from "./gateway-faults.ts";
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

/** The way to the gateway: JSON there and back, each request signed with the key of the run. */
export type GatewayLink = {
  /**
   * The JSON of the answer; null where it has none. Errors: `gateway_unreachable` (retryable) when there is no answer, or none
   * that a gateway gives; else those of the gateway with its codes; or the signal's reason.
   */
  post(route: GatewayRoute, body: unknown, options?: PostOptions): Promise<unknown>;
};

export type GatewayLinkContext = {
  /** Its address; what it answers to lies below its path. */
  gatewayUrl: string;
  fetch: GuardedFetch;
  keys: RunKeys;
  keyId: string;
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
      const answer = await send(context, route, JSON.stringify(body), options);
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

async function send(
  context: GatewayLinkContext,
  route: GatewayRoute,
  body: string,
  { signal, heldMs = 0 }: PostOptions,
): Promise<FetchedAnswer> {
  const { gatewayUrl, fetch, keys, keyId, gatewayClock } = context;
  // What the gateway sees of the address, whatever path a proxy has put before it.
  const path = `/internal/nodes/${route}`;
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
  try {
    return await fetch(`${gatewayUrl.replace(/\/+$/, "")}${path}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json", ...signed },
      maxBytes: mostAnswerBytes,
      timeoutMs: context.timeoutMs + heldMs + Math.ceil(bytes.length / leastBytesPerMs),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (fault) {
    if (signal?.aborted) throw signal.reason;
    throw unreachable(messageOf(fault), fault);
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
