import { resolve } from "node:path";
import type { NodeChange } from "../../accounts/admin/node-operations.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { NodeRecord } from "../../remote/gateway/node-record.ts";
import type { OpenControl } from "../../server/control/control.ts";
import { requireSecretKey } from "../accounts/secret-key.ts";
import { withControl } from "../accounts/with-control.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { eventAsJson, eventAsText, nodeAsJson, nodeAsLines, nodesTable } from "./show-nodes.ts";

const maxShownEvents = 10;

export async function listNodes(
  { all, json }: { all?: boolean; json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const allNodes = await runWithControl(terminal, (control) => control.run("nodes", null));
  const nodes = all ? allNodes : allNodes.filter(({ state }) => state !== "removed");
  const nowMs = systemClock.now();
  if (json)
    printJsonLines(
      nodes.map((node) => nodeAsJson(node, nowMs)),
      terminal,
    );
  else if (allNodes.length === 0) {
    terminal.note(
      "no nodes yet – run earshot nodes enroll to print the settings for a new node, then start it with earshot node\n",
    );
  } else if (nodes.length === 0) {
    terminal.note("all nodes have been removed – list them with earshot nodes list --all\n");
  } else {
    terminal.out(nodesTable(nodes, nowMs, terminal));
  }
}

export async function showNode(
  id: string,
  { json }: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const nowMs = systemClock.now();
  const { node, events } = await runWithControl(terminal, async (control) => ({
    node: await requireNode(control, id),
    events: await control.run("nodeEvents", { limit: maxShownEvents, nodeId: id }),
  }));
  if (json) {
    printJsonLines([nodeAsJson(node, nowMs)], terminal);
    return;
  }
  terminal.out(nodeAsLines(node, nowMs));
  if (events.length === 0) return;
  terminal.out("\n");
  for (const event of events) terminal.out(`${eventAsText(event)}\n`);
}

export async function changeNode(
  id: string,
  change: NodeChange,
  terminal: Terminal,
): Promise<void> {
  const nowMs = systemClock.now();
  const { before: previousNode, node } = await runWithControl(terminal, async (control) => ({
    before: await control.run("node", { id }),
    node: await control.run("changeNode", { nodeId: id, change, actor: "command_line", nowMs }),
  }));
  const outcome = change === "approve" ? approvalOutcome(previousNode, nowMs) : outcomes[change];
  terminal.out(`node ${id} (${stripControls(node.name)}) ${outcome}\n`);
  if (change === "remove" && node.isListed) terminal.note(stillListedNote);
}

const stillListedNote =
  "the policy still lists this node's machine – remove the machine from `platforms` (EARSHOT_NODES_POLICY); other nodes on it will then need approval\n";

function approvalOutcome(previousNode: NodeRecord | null, nowMs: number): string {
  if (previousNode === null || previousNode.state === "pending") {
    return "was approved; it will get jobs once it attests again, within seconds";
  }
  if (previousNode.state === "draining" || (previousNode.quarantinedUntilMs ?? 0) > nowMs) {
    return "was approved; it will get jobs again, within a second if it is connected";
  }
  return "was already approved; it can now move to the machine from which it attests next";
}

const outcomes: Readonly<Record<Exclude<NodeChange, "approve">, string>> = {
  drain: "is draining; its running jobs will be completed",
  remove: "was removed permanently; its jobs will go to other nodes",
};

export async function listEvents(
  nodeId: string | null,
  { json, limit }: { json?: boolean; limit: number },
  terminal: Terminal,
): Promise<void> {
  const events = await runWithControl(terminal, (control) =>
    control.run("nodeEvents", { limit, nodeId }),
  );
  if (json) printJsonLines(events.map(eventAsJson), terminal);
  else if (events.length === 0) terminal.note("no events yet\n");
  else for (const event of events) terminal.out(`${eventAsText(event)}\n`);
}

export async function printKey(terminal: Terminal): Promise<void> {
  const { deriveGatewayKey } = await import("../../remote/protocol/keys.ts");
  terminal.out(`${deriveGatewayKey(await secretKeyFor(terminal)).publicKey}\n`);
}

export async function enrollNode(terminal: Terminal): Promise<void> {
  const { http } = readConfig(terminal);
  const { deriveGatewayKey } = await import("../../remote/protocol/keys.ts");
  const { makeEnrolmentToken } = await import("../../remote/protocol/enrolment.ts");
  const secretKey = await secretKeyFor(terminal);
  const { publicUrl } = http;
  const lines = [
    ...(publicUrl === null ? [] : [`EARSHOT_NODE_GATEWAY=${publicUrl}`]),
    `EARSHOT_NODE_GATEWAY_KEY=${deriveGatewayKey(secretKey).publicKey}`,
    `EARSHOT_NODE_ENROLMENT_TOKEN=${makeEnrolmentToken(secretKey)}`,
  ];
  terminal.out(`${lines.join("\n")}\n`);
}

async function secretKeyFor(terminal: Terminal): Promise<Uint8Array> {
  const { data } = readConfig(terminal);
  return (
    data.secretKey ??
    (await runWithControl(terminal, (control) => requireSecretKey({ data }, control)))
  );
}

export async function simulateTee(folder: string, terminal: Terminal): Promise<void> {
  const { writeSimulatedTee } = await import("../../remote/evidence/simulated/simulated-folder.ts");
  const files = await writeSimulatedTee(resolve(folder), systemClock.now());
  terminal.note("SIMULATED: this evidence proves nothing about a machine. Gateway settings:\n");
  terminal.out(
    [
      "EARSHOT_NODES_EVIDENCE=tdx,simulated",
      `EARSHOT_NODES_COLLATERAL=${files.collateralFolder}`,
      `EARSHOT_NODES_POLICY=${files.policy}`,
      "",
    ].join("\n"),
  );
  terminal.note(`Node settings, after copying ${files.tee} to each node's data folder:\n`);
  terminal.out("EARSHOT_NODE_EVIDENCE=simulated\n");
}

async function requireNode(control: OpenControl, id: string): Promise<NodeRecord> {
  const node = await control.run("node", { id });
  if (node !== null) return node;
  throw new EarshotError("node_not_found", `node ${JSON.stringify(id)} not found`, {
    status: 404,
    hint: "find its id with earshot nodes list --all",
  });
}

function printJsonLines(values: readonly Record<string, unknown>[], terminal: Terminal): void {
  for (const value of values) terminal.out(`${JSON.stringify(value)}\n`);
}

async function runWithControl<Value>(
  terminal: Terminal,
  use: (control: OpenControl) => Promise<Value>,
): Promise<Value> {
  return await withControl(readConfig(terminal), use);
}
