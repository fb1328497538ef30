import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AttestLoop } from "./attest-loop.ts";
import type { GatewayLink } from "./gateway-link.ts";

/** The way to a gateway that knows the node: where it does not, as after a restart, the node attests again. */
export function knownLink(
  link: GatewayLink,
  attestLoop: Pick<AttestLoop, "again">,
  clock: Pick<Clock, "elapsed">,
): GatewayLink {
  return {
    post: async (...asked) => {
      const sentMs = clock.elapsed();
      try {
        return await link.post(...asked);
      } catch (fault) {
        if (fault instanceof EarshotError && fault.code === "node_unauthorized") {
          attestLoop.again(sentMs);
        }
        throw fault;
      }
    },
  };
}
