import type { Clock } from "../../lib/clock.ts";
import { type IntrospectAnswer, introspectAnswer } from "../protocol/messages.ts";
import { unreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";

/** Looks up API keys of clients at the gateway, with a cache. */
export type Introspection = {
  /**
   * The status of a key, by its id and the SHA-256 of its secret in base64url. Errors: those of the link, such as
   * `gateway_unreachable`; expired entries are not used while the gateway is away.
   */
  of(keyId: string, secretSha256: string): Promise<IntrospectAnswer>;
};

/** Cached keys; the oldest is evicted. */
const mostKeys = 10_000;

export function createIntrospection({
  link,
  clock,
  maxAgeMs,
}: {
  link: Pick<GatewayLink, "post">;
  clock: Pick<Clock, "elapsed">;
  maxAgeMs: number;
}): Introspection {
  const cache = new Map<string, { answer: Promise<IntrospectAnswer>; untilMs: number }>();

  async function request(keyId: string, secretSha256: string): Promise<IntrospectAnswer> {
    const body = { key_id: keyId, secret_sha256: secretSha256 };
    const read = introspectAnswer.safeParse(await link.post("introspect", body));
    if (!read.success) throw unreachable("the gateway's answer about a key is malformed");
    return read.data;
  }

  return {
    of: (keyId, secretSha256) => {
      const name = `${keyId} ${secretSha256}`;
      const nowMs = clock.elapsed();
      const cached = cache.get(name);
      if (cached !== undefined && nowMs < cached.untilMs) return cached.answer;
      // Concurrent callers share one request; one that fails is not cached.
      const entry = { answer: request(keyId, secretSha256), untilMs: nowMs + maxAgeMs };
      cache.delete(name);
      cache.set(name, entry);
      const [oldest = name] = cache.keys();
      if (cache.size > mostKeys) cache.delete(oldest);
      entry.answer.catch(() => {
        if (cache.get(name) === entry) cache.delete(name);
      });
      return entry.answer;
    },
  };
}
