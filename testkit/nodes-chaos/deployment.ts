import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeSimulatedTee } from "../../src/remote/evidence/simulated/simulated-folder.ts";
import { enrolmentTokenIn } from "../nodes/enrolment-token.ts";
import { until } from "../until.ts";
import type { FaultTarget } from "./faults.ts";
import { type Network, openNetwork } from "./network.ts";
import { connectedNodes, makeKey, setNodeState } from "./operator.ts";
import type { GeneratedPosts } from "./posts.ts";
import { type Actor, createActor, runEarshot } from "./processes.ts";
import { type WatchedStore, watchStore } from "./watched-store.ts";

/** A gateway without an embedded node, and three nodes. */
export type Deployment = {
  base: string;
  network: Network;
  gateway: Actor;
  targets: readonly FaultTarget[];
  store: WatchedStore;
  gatewayDir: string;
  simulatedDir: string;
  keys: ReadonlyMap<string, { token: string; id: string }>;
  waitForGateway(): Promise<void>;
  close(): Promise<void>;
};

export type DeploymentOptions = {
  folder: string;
  port: number;
  posts: GeneratedPosts;
  clients: readonly string[];
  leaseMs: number;
  dispatchesPerSecond: number;
  nodeConcurrency: number;
};

const evidenceKinds = ["none", "simulated", "simulated"] as const;

export async function openDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { folder, port, leaseMs } = options;
  const network = await openNetwork(evidenceKinds.length, port);
  const gatewayDir = join(folder, "gateway");
  const simulatedDir = join(folder, "simulated");
  const base = network.clientUrl;
  const actors: Actor[] = [];
  const close = async (): Promise<void> => {
    // A stopped process ignores SIGTERM.
    await Promise.all(actors.map((actor) => actor.end("SIGKILL")));
    network.close();
  };
  try {
    mkdirSync(gatewayDir, { recursive: true });
    const keys = new Map<string, Awaited<ReturnType<typeof makeKey>>>();
    for (const name of options.clients) keys.set(name, await makeKey(gatewayDir, name));
    const store = watchStore(join(gatewayDir, "control.db"));
    await writeSimulatedTee(simulatedDir, Date.now());
    await fillArchives(options);
    for (const index of evidenceKinds.keys()) {
      copyFileSync(join(simulatedDir, "tee.json"), join(folder, `node-${index}`, "tee.json"));
    }
    const gateway = createActor({
      name: "gateway",
      args: ["serve"],
      dataDir: gatewayDir,
      logFile: join(folder, "gateway.log"),
      command: network.command,
      settings: {
        EARSHOT_HOST: network.gatewayHost,
        EARSHOT_PORT: String(port),
        EARSHOT_EMBEDDED_NODE: "off",
        EARSHOT_NODES_EVIDENCE: "simulated,none",
        EARSHOT_NODES_POLICY: join(simulatedDir, "policy.json"),
        EARSHOT_NODES_COLLATERAL: join(simulatedDir, "collateral"),
        EARSHOT_NODES_DISPATCHES_PER_SECOND: String(options.dispatchesPerSecond),
        EARSHOT_LEASE: `${leaseMs}ms`,
        EARSHOT_MAX_ATTEMPTS: "100",
        EARSHOT_RETRY_DELAY: "50ms",
        EARSHOT_JOB_DEADLINE: "10m",
        EARSHOT_MAX_RUNNING_PER_KEY: "100",
        EARSHOT_MAX_WAITING_REQUESTS: "1000",
      },
    });
    actors.push(gateway);
    gateway.start();
    const waitForGateway = async (): Promise<void> => {
      await until("the gateway", async () => ((await isAlive(base)) ? true : null));
    };
    await waitForGateway();
    const targets = network.links.map(
      (link, index): FaultTarget => ({
        link,
        changeState: async (word) => {
          if (!(await setNodeState(gatewayDir, `node-${index}`, word)))
            throw new Error("no such node");
        },
        actor: createActor({
          name: `node-${index}`,
          args: ["node", "--gateway", link.gatewayUrl, "--name", `node-${index}`],
          dataDir: join(folder, `node-${index}`),
          logFile: join(folder, `node-${index}.log`),
          command: link.command,
          settings: {
            EARSHOT_NODE_ENROLMENT_TOKEN: enrolmentTokenIn(gatewayDir),
            EARSHOT_NODE_EVIDENCE: evidenceKinds[index] ?? "none",
            EARSHOT_NODE_CONCURRENCY: String(options.nodeConcurrency),
          },
        }),
      }),
    );
    for (const { actor } of targets) {
      actors.push(actor);
      actor.start();
    }
    // Nodes without evidence wait for approval.
    const approve = () => setNodeState(gatewayDir, "node-0", "approve");
    await until("a waiting node", async () => ((await approve()) ? true : null));
    await until("the nodes", async () => ((await connectedNodes(base)) === 3 ? true : null));
    return {
      base,
      network,
      gateway,
      targets,
      store,
      gatewayDir,
      simulatedDir,
      keys,
      waitForGateway,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillArchives({ folder, posts }: DeploymentOptions): Promise<void> {
  const file = join(folder, "posts.ndjson");
  posts.write(file);
  await Promise.all(
    evidenceKinds.map((_, index) =>
      runEarshot(join(folder, `node-${index}`), ["import", file, "--platform", "x"]),
    ),
  );
}

async function isAlive(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/livez`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
