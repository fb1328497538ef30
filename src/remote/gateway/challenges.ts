import { base64 } from "../protocol/encoding.ts";
import { nodeRefused } from "../protocol/errors.ts";
import type { NodeGatewayContext } from "./context.ts";

/** Open at a time; the oldest is dropped beyond this. */
const maxChallenges = 1_000;

export class Challenges {
  readonly #context: Pick<NodeGatewayContext, "clock" | "randomBytes" | "settings">;
  readonly #open = new Map<string, { number: number; endsMs: number }>();
  #last = 0;

  constructor(context: Pick<NodeGatewayContext, "clock" | "randomBytes" | "settings">) {
    this.#context = context;
  }

  open(): string {
    const { clock, randomBytes, settings } = this.#context;
    const [oldest = ""] = this.#open.keys();
    if (this.#open.size >= maxChallenges) this.#open.delete(oldest);
    const nonce = base64(randomBytes(32));
    this.#last += 1;
    this.#open.set(nonce, { number: this.#last, endsMs: clock.elapsed() + settings.challengeMs });
    return nonce;
  }

  /** Returns the challenge's increasing number. Errors: `node_refused`. */
  use(nonce: string): number {
    const challenge = this.#open.get(nonce);
    this.#open.delete(nonce);
    if (challenge === undefined) {
      throw nodeRefused(
        "challenge_unknown",
        "the nonce is none that this gateway has given, or was used before",
      );
    }
    if (challenge.endsMs <= this.#context.clock.elapsed()) {
      throw nodeRefused("challenge_ended", "the nonce came too late");
    }
    return challenge.number;
  }
}
