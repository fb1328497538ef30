import { EarshotError } from "../../lib/errors.ts";

/** Which gateway a node works for: the one with this key. */
export type GatewayPin = {
  /** The key that counts; null until there is one. */
  key(): string | null;
  /** Errors: `gateway_key_mismatch` for another key than the one that counts. */
  check(key: string): void;
};

/**
 * Goes by a key that is known beforehand; without one the first that is seen counts, for as long as the node runs, and
 * `onFirst` is told.
 */
export function createGatewayPin(known: string | null, onFirst: (key: string) => void): GatewayPin {
  let pinned = known;
  return {
    key: () => pinned,
    check: (key) => {
      if (pinned === null) onFirst(key);
      pinned ??= key;
      if (key !== pinned) throw mismatch(key, pinned);
    },
  };
}

function mismatch(key: string, pinned: string): EarshotError {
  return new EarshotError("gateway_key_mismatch", `the gateway has the key ${key}, not ${pinned}`, {
    status: 403,
    hint: "check EARSHOT_NODE_GATEWAY and EARSHOT_NODE_GATEWAY_KEY; `earshot nodes key` at the gateway prints its key",
  });
}
