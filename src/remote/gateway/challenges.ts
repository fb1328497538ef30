import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import { nodeRefused } from "../protocol/errors.ts";
import { challengeMs } from "../settings.ts";

const maxChallenges = 1_000;

export function createChallenges(clock: Clock) {
  const openChallenges = new Map<string, { sequence: number; expiresMs: number }>();
  let lastSequence = 0;

  return {
    open: (): string => {
      const [oldest = ""] = openChallenges.keys();
      if (openChallenges.size >= maxChallenges) openChallenges.delete(oldest);
      const nonce = encodeBase64Url(randomBytes(32));
      lastSequence += 1;
      openChallenges.set(nonce, {
        sequence: lastSequence,
        expiresMs: clock.elapsed() + challengeMs,
      });
      return nonce;
    },

    use: (nonce: string): number => {
      const challenge = openChallenges.get(nonce);
      openChallenges.delete(nonce);
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
