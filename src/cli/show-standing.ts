import type { NodeSettings } from "../remote/settings.ts";
import type { Standing } from "../remote/worker/attest-loop.ts";
import { isDismissal } from "../remote/worker/dismissal.ts";
import type { Terminal } from "./terminal.ts";

/** Tells a person how a node stands with its gateway. */
export type StandingTeller = {
  /** Says it when it is another than was said last; nothing before `begin`. */
  tell(standing: Standing): void;
  /** From here on things are said, what came earlier first. */
  begin(nodeId: string): void;
};

export function createStandingTeller(
  terminal: Pick<Terminal, "out">,
  { gatewayKey }: Pick<NodeSettings, "gatewayKey">,
): StandingTeller {
  let nodeId: string | null = null;
  let waiting: Standing | null = null;
  let wasTaken = false;
  let said = "";

  function tell(standing: Standing): void {
    if (nodeId === null) {
      waiting = standing;
      return;
    }
    const isLast =
      standing.state === "refused" &&
      (isDismissal(standing.fault) || (standing.isFinal && !wasTaken));
    wasTaken ||= standing.state === "admitted" || standing.state === "pending";
    const text = textOf(standing, nodeId, gatewayKey === null);
    // What ends the command is said by the command.
    if (isLast || text === null || text === said) return;
    said = text;
    terminal.out(text);
  }

  return {
    tell,
    begin: (id) => {
      nodeId = id;
      if (waiting !== null) tell(waiting);
    },
  };
}

/** Null where there is nothing to say. */
function textOf(standing: Standing, nodeId: string, isKeyUnknown: boolean): string | null {
  switch (standing.state) {
    case "connecting":
      return null;
    case "unreachable":
      return `the gateway cannot be reached, it is tried again: ${standing.fault.message}\n`;
    case "pending":
      return `the gateway waits for an operator to approve this node: run \`earshot nodes approve ${nodeId}\` there\n`;
    case "refused": {
      const { message, hint } = standing.fault;
      return `the gateway refused the node: ${message}${hint === undefined ? "" : ` – ${hint}`}\n`;
    }
    case "admitted": {
      const { gatewayKey } = standing.attested;
      const seen = isKeyUnknown
        ? `\ngateway key ${gatewayKey}: the first one seen, kept until the node stops; EARSHOT_NODE_GATEWAY_KEY names it for good`
        : "";
      return `attested: the gateway gives it work${seen}\n`;
    }
  }
}
