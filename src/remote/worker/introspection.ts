import type { Clock } from "../../lib/clock.ts";
import { type IntrospectAnswer, introspectAnswer } from "../protocol/messages.ts";
import { unreachable } from "./gateway-faults.ts";
import type { GatewayLink } from "./gateway-link.ts";

/** Whose keys those are that clients bring to a node: the gateway is asked, and what it said counts for a while. */
export type Introspection = {
  /**
   * What the gateway says of a key, given its id and the SHA-256 of its secret in base64url. Errors: those of the link, such
   * as `gateway_unreachable`; nothing counts longer than its time because the gateway is away.
   */
  of(keyId: string, secretSha256: string): Promise<IntrospectAnswer>;
};

/** Keys that are known at a time; the one that was asked for longest ago goes for one more. */
const mostKeys = 10_000;

type Known = { answer: Promise<IntrospectAnswer>; untilMs: number };

export function createIntrospection({
  link,
  clock,
  maxAgeMs,
}: {
  link: Pick<GatewayLink, "post">;
  clock: Pick<Clock, "elapsed">;
  maxAgeMs: number;
}): Introspection {
  const known = new Map<string, Known>();

  async function ask(keyId: string, secretSha256: string): Promise<IntrospectAnswer> {
    const body = { key_id: keyId, secret_sha256: secretSha256 };
    const read = introspectAnswer.safeParse(await link.post("introspect", body));
    if (!read.success) throw unreachable("the gateway's answer about a key is malformed");
    return read.data;
  }

  return {
    of: (keyId, secretSha256) => {
      const name = `${keyId} ${secretSha256}`;
      const nowMs = clock.elapsed();
      const earlier = known.get(name);
      if (earlier !== undefined && nowMs < earlier.untilMs) return earlier.answer;
      const answer = ask(keyId, secretSha256);
      // Those who come while it is asked share the question, and an answer that did not come counts for nothing.
      const entry = { answer, untilMs: nowMs + maxAgeMs };
      known.delete(name);
      known.set(name, entry);
      if (known.size > mostKeys) forgetOldest(known);
      answer.catch(() => {
        if (known.get(name) === entry) known.delete(name);
      });
      return answer;
    },
  };
}

function forgetOldest(known: Map<string, unknown>): void {
  for (const name of known.keys()) {
    known.delete(name);
    return;
  }
}
