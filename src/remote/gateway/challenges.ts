import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { base64 } from "../protocol/encoding.ts";
import { nodeRefused } from "../protocol/errors.ts";
import { challengeMs } from "../settings.ts";

const maxChallenges = 1_000;

export class Challenges {
  readonly #clock: Clock;
  readonly #open = new Map<string, { number: number; endsMs: number }>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(): string {
    const [oldest = ""] = this.#open.keys();
    if (this.#open.size >= maxChallenges) this.#open.delete(oldest);
    const nonce = base64(randomBytes(32));
    this.#last += 1;
    this.#open.set(nonce, { number: this.#last, endsMs: this.#clock.elapsed() + challengeMs });
    return nonce;
  }

  /** Returns the challenge's number, which increases. */
  use(nonce: string): number {
    const challenge = this.#open.get(nonce);
    this.#open.delete(nonce);
    if (challenge === undefined) {
      throw nodeRefused("challenge_unknown", "the nonce is unknown or was used before");
    }
    if (challenge.endsMs <= this.#clock.elapsed()) {
      throw nodeRefused("challenge_ended", "the nonce has expired");
    }
    return challenge.number;
  }
}
