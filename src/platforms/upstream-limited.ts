import { EarshotError } from "../lib/errors.ts";
import { isoText } from "../lib/iso-time.ts";

export class UpstreamLimited extends EarshotError {
  readonly retryAtMs: number;

  constructor(host: string, retryAtMs: number) {
    const until = isoText(Math.ceil(retryAtMs / 1_000) * 1_000);
    super(
      "upstream_limited",
      `${host}'s rate limit for this kind of request is exhausted until ${until}`,
      {
        status: 502,
        retryable: true,
        hint: "retry then, or add a credential",
      },
    );
    this.retryAtMs = retryAtMs;
  }
}
