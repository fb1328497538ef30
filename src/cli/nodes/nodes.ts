import type { Command } from "commander";
import { wrongUse } from "../describe-error.ts";
import { parseWholeNumber } from "../parse-values.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  changeNode,
  enrollNode,
  listEvents,
  listNodes,
  printKey,
  showNode,
  simulateTee,
} from "./nodes-actions.ts";

type JsonOption = { json?: boolean };
type EventsOptions = JsonOption & { limit: number };

const jsonOption = ["--json", "print NDJSON"] as const;
const idArgument = ["<id>", "id from nodes list"] as const;

export function addNodes(program: Command, terminal: Terminal): void {
  const nodes = program
    .command("nodes")
    .description(
      "Approves, shows, drains and removes nodes (docs/operations.md). A running server applies changes within a " +
        "second.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "nodes requires a subcommand",
        "use nodes list, show, approve, drain, remove, events, enroll, key or simulate",
      );
    });
  addListCommands(nodes, terminal);
  addChangeCommands(nodes, terminal);
  nodes
    .command("key")
    .summary("print this server's public key")
    .description("Prints the public key of this server, for EARSHOT_NODE_GATEWAY_KEY of its nodes.")
    .action(() => printKey(terminal));
  nodes
    .command("enroll")
    .summary("print the settings of a new node, with the enrolment token")
    .description(
      "Prints the environment of a new node: this server's key, its address if EARSHOT_PUBLIC_URL is set, and " +
        "the enrolment token.",
    )
    .action(() => enrollNode(terminal));
  nodes
    .command("simulate")
    .summary("create a simulated TEE for tests")
    .description(
      "Writes a simulated TEE to a folder: the keys to make quotes, and the collateral and policy to verify " +
        "them. It proves nothing. Replaces an existing one.",
    )
    .argument("<folder>", "created if missing")
    .action((folder: string) => simulateTee(folder, terminal));
}

function addListCommands(nodes: Command, terminal: Terminal): void {
  const limit = parseWholeNumber(1, 10_000);
  nodes
    .command("list")
    .summary("list the nodes")
    .description(
      "Lists the nodes that have connected, oldest first. Names are self-declared; ids are unique.",
    )
    .option("--all", "include removed nodes")
    .option(...jsonOption)
    .action((options: JsonOption & { all?: boolean }) => listNodes(options, terminal));
  nodes
    .command("show")
    .summary("show a node's evidence, capabilities and events")
    .description("Shows a node, one fact per line, and its recent events.")
    .argument(...idArgument)
    .option(...jsonOption)
    .action((id: string, options: JsonOption) => showNode(id, options, terminal));
  nodes
    .command("events")
    .summary("list node events")
    .description(
      "Lists node events, newest first: admissions, refusals with reasons, quarantines, changes by operators.",
    )
    .argument("[id]", "events of this node only")
    .option("--limit <number>", "maximum number", limit, 100)
    .option(...jsonOption)
    .action((id: string | undefined, options: EventsOptions) =>
      listEvents(id ?? null, options, terminal),
    );
}

function addChangeCommands(nodes: Command, terminal: Terminal): void {
  nodes
    .command("approve")
    .summary("admit or resume a node")
    .description(
      "Admits a pending node, or one that has moved to another machine; ends draining and quarantine.",
    )
    .argument(...idArgument)
    .action((id: string) => changeNode(id, "approve", terminal));
  nodes
    .command("drain")
    .summary("drain a node")
    .description(
      "Assigns no more jobs to a node; it finishes its current ones. nodes approve resumes it.",
    )
    .argument(...idArgument)
    .action((id: string) => changeNode(id, "drain", terminal));
  nodes
    .command("remove")
    .summary("remove a node permanently")
    .description(
      "Rejects a node permanently and reassigns its jobs immediately. Results that it signed are kept.",
    )
    .argument(...idArgument)
    .action((id: string) => changeNode(id, "remove", terminal));
}
