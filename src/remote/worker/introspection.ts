import type { Clock } from "../../lib/clock.ts";
import { type IntrospectAnswer, introspectAnswer } from "../protocol/messages.ts";
import { unreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";

export type Introspection = {
  /** Expired entries are not used while the gateway is unreachable. Errors: those of the link. */
  of(keyId: string, secretSha256: string): Promise<IntrospectAnswer>;
};

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
      // Concurrent callers share a request; failures are not cached.
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
