import type { NodeChange } from "../../src/accounts/admin/node-operations.ts";
import { openControl } from "../../src/server/control/control.ts";

export async function makeKey(
  gatewayDir: string,
  name: string,
): Promise<{ token: string; id: string }> {
  const control = await openControl({ dataDir: gatewayDir });
  try {
    const { token, id } = await control.run("createKey", {
      name,
      accountName: null,
      requestsPerSecond: 1_000_000,
      submissionsPerMinute: 10_000_000,
      nowMs: Date.now(),
    });
    return { token, id };
  } finally {
    await control.close();
  }
}

export async function setNodeState(
  gatewayDir: string,
  name: string,
  change: NodeChange,
): Promise<boolean> {
  const control = await openControl({ dataDir: gatewayDir });
  try {
    const node = (await control.run("nodes", null)).find((record) => record.name === name);
    if (node === undefined) return false;
    const actor = "command_line";
    await control.run("changeNode", { nodeId: node.id, change, actor, nowMs: Date.now() });
    return true;
  } finally {
    await control.close();
  }
}

export async function connectedNodes(base: string): Promise<number> {
  const response = await fetch(`${base}/v1/nodes`);
  const { nodes } = (await response.json()) as { nodes: { connected: boolean; state: string }[] };
  return nodes.filter(({ connected, state }) => connected && state === "approved").length;
}
