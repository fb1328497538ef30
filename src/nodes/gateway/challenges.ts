import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import { nodeRefused } from "./faults.ts";

/** Nonces for evidence: each counts once and for a while. Bounded: the oldest goes for one more. */
export type Challenges = {
  /** 32 fresh bytes in base64url. */
  open(): string;
  /**
   * Uses a nonce up, whatever comes of it; gives its number: one that was opened later has a higher one. Errors: `node_refused`
   * with `challenge_unknown`, `challenge_used` or `challenge_ended`.
   */
  use(nonce: string): number;
};

/** Challenges that may be open at a time. */
const maxChallenges = 1_000;

type Challenge = { number: number; endsMs: number; isUsed: boolean };

export function createChallenges({
  clock,
  randomBytes,
  settings,
}: {
  clock: Pick<Clock, "elapsed">;
  randomBytes: RandomBytes;
  settings: { challengeMs: number };
}): Challenges {
  /** The oldest first; a used one stays until it would have ended, so that using it again is told from making one up. */
  const challenges = new Map<string, Challenge>();
  let opened = 0;

  function forgetOldest(): void {
    for (const [nonce, { endsMs }] of challenges) {
      const isOver = endsMs + settings.challengeMs <= clock.elapsed();
      if (!isOver && challenges.size < maxChallenges) return;
      challenges.delete(nonce);
    }
  }

  return {
    open: () => {
      forgetOldest();
      const nonce = Buffer.from(randomBytes(32)).toString("base64url");
      opened += 1;
      const endsMs = clock.elapsed() + settings.challengeMs;
      challenges.set(nonce, { number: opened, endsMs, isUsed: false });
      return nonce;
    },
    use: (nonce) => {
      const challenge = challenges.get(nonce);
      if (challenge === undefined) {
        throw nodeRefused("challenge_unknown", "the nonce is none that this gateway has given");
      }
      if (challenge.isUsed) throw nodeRefused("challenge_used", "the nonce was used before");
      challenge.isUsed = true;
      if (challenge.endsMs <= clock.elapsed()) {
        throw nodeRefused("challenge_ended", "the nonce came too late");
      }
      return challenge.number;
    },
  };
}
