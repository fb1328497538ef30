import type { Clock } from "../../lib/clock.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { checkOf, codeOf } from "./gateway-faults.ts";
import type { GatewayLink } from "./gateway-link.ts";

/**
 * The way to a gateway that knows the node: where it does not, as after a restart, or signs with another key, the node attests
 * again.
 */
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
        if (codeOf(fault) === "node_unauthorized" || checkOf(fault) === "other_signature") {
          attestLoop.again(sentMs);
        }
        throw fault;
      }
    },
  };
}
