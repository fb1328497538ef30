import type { NodeSettings } from "../../remote/settings.ts";
import type { AttestationStatus } from "../../remote/worker/attest-loop.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type StatusPrinter = {
  /** Skips repeated statuses; defers printing until `begin`. */
  print(status: AttestationStatus): void;
  begin(nodeId: string): void;
};

export function createStatusPrinter(
  terminal: Pick<Terminal, "out">,
  { gatewayKey }: Pick<NodeSettings, "gatewayKey">,
): StatusPrinter {
  let nodeId: string | null = null;
  let deferredStatus: AttestationStatus | null = null;
  let lastText = "";

  function print(status: AttestationStatus): void {
    if (nodeId === null) {
      deferredStatus = status;
      return;
    }
    const isFinal = status.state === "refused" && status.isFinal;
    const text = statusText(status, nodeId, gatewayKey === null);
    // The command itself reports a final refusal.
    if (isFinal || text === null || text === lastText) return;
    lastText = text;
    terminal.out(text);
  }

  return {
    print,
    begin: (id) => {
      nodeId = id;
      if (deferredStatus !== null) print(deferredStatus);
    },
  };
}

function statusText(
  status: AttestationStatus,
  nodeId: string,
  isKeyUnknown: boolean,
): string | null {
  switch (status.state) {
    case "connecting":
      return null;
    case "unreachable":
      return `the gateway is unreachable, retrying: ${status.error.message}\n`;
    case "pending":
      return `this node awaits approval: run earshot nodes approve ${nodeId} on the gateway\n`;
    case "refused": {
      const { message, hint } = status.error;
      return `the gateway refused the node: ${message}${hint === undefined ? "" : ` – ${hint}`}\n`;
    }
    case "admitted": {
      const { gatewayKey } = status.attestation;
      const keyNote = isKeyUnknown
        ? `\ngateway key ${gatewayKey}: trusted on first use, until the node stops; set EARSHOT_NODE_GATEWAY_KEY to pin it`
        : "";
      return `attested and ready for jobs${keyNote}\n`;
    }
  }
}
