import type { NodeChange } from "../../src/accounts/admin/node-operations.ts";
import { openControl } from "../../src/server/control.ts";

/** What an operator does with nodes beside a running gateway, through its store, as `earshot nodes` does. */

/** A key without limits that matter; the key itself, and the id that its jobs carry. */
export function makeKey(gatewayDir: string, name: string): { token: string; id: string } {
  const control = openControl(gatewayDir);
  try {
    const { token, id } = control.run("createKey", {
      name,
      accountName: null,
      requestsPerSecond: 1_000_000,
      submissionsPerMinute: 10_000_000,
      nowMs: Date.now(),
    });
    return { token, id };
  } finally {
    control.close();
  }
}

/** Gives the operator's word on the node of this name; false where the gateway does not know it. */
export function orderNode(gatewayDir: string, name: string, change: NodeChange): boolean {
  const control = openControl(gatewayDir);
  try {
    const node = control.run("nodes", null).find((each) => each.name === name);
    if (node === undefined) return false;
    const actor = "command_line";
    control.run("changeNode", { nodeId: node.id, change, actor, nowMs: Date.now() });
    return true;
  } finally {
    control.close();
  }
}

/** How many nodes are attested and at work at a gateway. */
export async function connectedNodes(base: string): Promise<number> {
  const answer = await fetch(`${base}/v1/nodes`);
  const { nodes } = (await answer.json()) as { nodes: { connected: boolean; state: string }[] };
  return nodes.filter(({ connected, state }) => connected && state === "approved").length;
}
