import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { base64 } from "../protocol/encoding.ts";
import { nodeRefused } from "../protocol/errors.ts";
import { challengeMs } from "../settings.ts";

const maxChallenges = 1_000;

export function createChallenges(clock: Clock) {
  const opened = new Map<string, { sequence: number; expiresMs: number }>();
  let last = 0;

  return {
    open: (): string => {
      const [oldest = ""] = opened.keys();
      if (opened.size >= maxChallenges) opened.delete(oldest);
      const nonce = base64(randomBytes(32));
      last += 1;
      opened.set(nonce, { sequence: last, expiresMs: clock.elapsed() + challengeMs });
      return nonce;
    },

    use: (nonce: string): number => {
      const challenge = opened.get(nonce);
      opened.delete(nonce);
      if (challenge === undefined) {
        throw nodeRefused("challenge_unknown", "the nonce is unknown or was used before");
      }
      if (challenge.expiresMs <= clock.elapsed()) {
        throw nodeRefused("challenge_ended", "the nonce has expired");
      }
      return challenge.sequence;
    },
  };
}
