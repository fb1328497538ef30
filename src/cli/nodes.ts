import type { Command } from "commander";
import { wrongUse } from "./describe-error.ts";
import {
  changeNode,
  enrollNode,
  listEvents,
  listNodes,
  printKey,
  showNode,
  simulateTee,
} from "./nodes-actions.ts";
import { wholeNumber } from "./parse-values.ts";
import type { Terminal } from "./terminal.ts";

type Json = { json?: boolean };
type Listed = Json & { limit: number };

const json = ["--json", "print one JSON object a line"] as const;
const nodeId = ["<id>", "the node's id, as nodes list shows it"] as const;

export function addNodes(program: Command, terminal: Terminal): void {
  const nodes = program
    .command("nodes")
    .description(
      "Approves, shows, drains and removes the nodes that run jobs of this server (earshot node). Works beside a running " +
        "server, within a second.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "nodes needs to know what to do",
        "write nodes list, nodes show, nodes approve, nodes drain, nodes remove, nodes events, nodes enroll, nodes key or nodes simulate",
      );
    });
  addLists(nodes, terminal);
  addChanges(nodes, terminal);
  nodes
    .command("key")
    .summary("print the key that nodes know this server by")
    .description(
      "Prints the key that this server signs jobs with. A node that is given it as EARSHOT_NODE_GATEWAY_KEY takes work from no " +
        "other. It is made from the secret key of the data folder, and public.",
    )
    .action(() => printKey(terminal));
  nodes
    .command("enroll")
    .summary("print the settings of a new node, with the enrolment token")
    .description(
      "Prints the lines that a node's environment needs: the key of this server, its address if EARSHOT_PUBLIC_URL is set, and " +
        "the enrolment token, without which this server refuses a node. The token is the same for all nodes.",
    )
    .action(() => enrollNode(terminal));
  nodes
    .command("simulate")
    .summary("make a simulated TEE, for trying things out")
    .description(
      "Writes a simulated TEE to a folder: what nodes make quotes with, and the collateral and policy that a server " +
        "verifies them by. It runs all of the code that a real machine would, and proves nothing about any machine. What the " +
        "folder held of an earlier one is replaced.",
    )
    .argument("<folder>", "where to; made when it does not exist")
    .action((folder: string) => simulateTee(folder, terminal));
}

function addLists(nodes: Command, terminal: Terminal): void {
  const limit = wholeNumber(1, 10_000);
  nodes
    .command("list")
    .summary("list the nodes")
    .description(
      "Lists the nodes that have come to this server, the oldest first. Names are what the nodes call themselves; the id is what " +
        "tells them apart.",
    )
    .option("--all", "those that were removed too")
    .option(...json)
    .action((options: Json & { all?: boolean }) => listNodes(options, terminal));
  nodes
    .command("show")
    .summary("show a node: its evidence, what it can do, what became of it")
    .description("Shows what is known of a node, one fact a line, and what happened to it lately.")
    .argument(...nodeId)
    .option(...json)
    .action((id: string, options: Json) => showNode(id, options, terminal));
  nodes
    .command("events")
    .summary("show what happened to nodes")
    .description(
      "Lists what happened to nodes, the newest first: who was let in, refused and why, quarantined, changed by an operator.",
    )
    .argument("[id]", "only what happened to this node")
    .option("--limit <number>", "only so many", limit, 100)
    .option(...json)
    .action((id: string | undefined, options: Listed) => listEvents(id ?? null, options, terminal));
}

function addChanges(nodes: Command, terminal: Terminal): void {
  nodes
    .command("approve")
    .summary("let a node in, or back in")
    .description(
      "Lets a node in that waits, ends the draining of one, and lifts a quarantine. A node that is approved already may move: " +
        "the machine that it attests from next takes the place of the one that it was approved on.",
    )
    .argument(...nodeId)
    .action((id: string) => changeNode(id, "approve", terminal));
  nodes
    .command("drain")
    .summary("give a node no more work")
    .description("Gives a node no more work. What it runs it may end. nodes approve takes it back.")
    .argument(...nodeId)
    .action((id: string) => changeNode(id, "drain", terminal));
  nodes
    .command("remove")
    .summary("refuse a node for good")
    .description(
      "Refuses a node for good. What it runs goes to others at once, and it is not let in again under this id. Results that it " +
        "has signed stay, with what proves them.",
    )
    .argument(...nodeId)
    .action((id: string) => changeNode(id, "remove", terminal));
}
