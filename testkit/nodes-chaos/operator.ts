import type { NodeChange } from "../../src/accounts/admin/node-operations.ts";
import { openControl } from "../../src/server/control.ts";

/** Operator actions through the store of a running gateway, as `earshot nodes`. */

/** A key with high limits, and the id in its jobs. */
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

/** Applies an action to a node by name; false if unknown. */
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

/** Number of attested, working nodes. */
export async function connectedNodes(base: string): Promise<number> {
  const answer = await fetch(`${base}/v1/nodes`);
  const { nodes } = (await answer.json()) as { nodes: { connected: boolean; state: string }[] };
  return nodes.filter(({ connected, state }) => connected && state === "approved").length;
}
