import { resolve } from "node:path";
import type { Command } from "commander";
import { isInsecure } from "../../remote/evidence/evidence.ts";
import type { Config } from "../../server/config.ts";
import { boundHeapGrowth } from "../../server/watches/heap-growth.ts";
import { wrongUse } from "../describe-error.ts";
import { exitSoon, otherRoleWarning, withQuietLog } from "../serving.ts";
import { readConfig } from "../settings.ts";
import { untilStopped } from "../terminal/signals.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createStatusPrinter } from "./show-node-status.ts";

type NodeOptions = {
  gateway?: string;
  gatewayKey?: string;
  name?: string;
  seedFrom?: string;
};

export function addNode(program: Command, terminal: Terminal): void {
  program
    .command("node")
    .description(
      "Runs a node: it attests to the gateway, leases jobs and answers them with the credentials and archive of " +
        "its own data folder. It needs no open port. Live ingestion requires EARSHOT_INGEST.",
    )
    .option("--gateway <url>", "address of the gateway (EARSHOT_NODE_GATEWAY)")
    .option(
      "--gateway-key <key>",
      "its public key, printed by nodes key there (EARSHOT_NODE_GATEWAY_KEY)",
    )
    .option("--name <name>", "name shown to operators; default: the host name")
    .option("--seed-from <backup>", "backup to restore if the data folder has no archive")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot node --gateway https://earshot.example --gateway-key KEY\n" +
        "  EARSHOT_NODE_EVIDENCE=none EARSHOT_DATA_DIR=./node earshot node --gateway http://127.0.0.1:8080 --name test\n" +
        "\nExit code 3: removed by an operator, or superseded by another run with the same key.",
    )
    .action((options: NodeOptions) => runNode(options, terminal));
}

async function runNode(options: NodeOptions, terminal: Terminal): Promise<void> {
  const config = withQuietLog(nodeConfig(options, terminal), terminal);
  // Loaded on demand, so that other commands start faster.
  const { startRemoteNode } = await import("../../server/nodes/start-node.ts");
  if (options.seedFrom !== undefined) {
    const { seedArchive } = await import("../seed-archive.ts");
    await seedArchive(config.data.dir, options.seedFrom, terminal);
  }
  const statuses = createStatusPrinter(terminal, config.node);
  const node = await startRemoteNode(config, {
    name: getName(options),
    onStatus: statuses.print,
  });
  boundHeapGrowth();
  try {
    const { gateway, evidence } = config.node;
    terminal.out(`node ${node.id} (${node.name}) leases jobs from ${gateway}\n`);
    terminal.out(
      `evidence ${evidence}${isInsecure(evidence) ? ", which proves nothing about the machine" : ""}\n`,
    );
    const warning = otherRoleWarning("node", terminal.environment);
    if (warning !== null) terminal.out(`${warning}\n`);
    terminal.out(`data folder ${resolve(config.data.dir)}\n`);
    statuses.begin(node.id);
    const error = await Promise.race([untilStopped(terminal.stopSignal), node.finalRefusal]);
    if (error !== undefined) throw error;
    terminal.out(
      "stopping once running jobs have ended; send a second signal to stop immediately\n",
    );
  } finally {
    await node.stop();
    exitSoon();
  }
}

/** Options override the environment. Ingestion is off unless EARSHOT_INGEST is set. */
function nodeConfig({ gateway, gatewayKey }: NodeOptions, terminal: Terminal): Config {
  const config = readConfig(terminal);
  const { ingest, node } = config;
  const isIngesting = Boolean(terminal.environment.EARSHOT_INGEST);
  return {
    ...config,
    ingest: isIngesting ? ingest : { ...ingest, source: "off" },
    node: {
      ...node,
      gateway: gateway === undefined ? node.gateway : readGateway(gateway),
      gatewayKey: gatewayKey ?? node.gatewayKey,
    },
  };
}

function getName({ name }: NodeOptions): string | undefined {
  if (name === undefined || /^\P{C}{1,64}$/u.test(name)) return name;
  throw wrongUse("--name must be one line of 1 to 64 visible characters", "use another name");
}

function readGateway(text: string): string {
  const url = URL.parse(text);
  if (url !== null && ["http:", "https:"].includes(url.protocol)) return text;
  throw wrongUse(
    `--gateway must be an HTTP URL, not ${JSON.stringify(text)}`,
    "use a URL such as https://earshot.example",
  );
}
