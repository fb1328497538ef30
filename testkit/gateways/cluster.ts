import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPool } from "../../src/db/postgres/pool.ts";
import { makeEnrolmentToken } from "../../src/remote/protocol/enrolment.ts";
import { configFrom } from "../../src/server/config.ts";
import { type OpenControl, openControl } from "../../src/server/control/control.ts";
import { makePost } from "../data/make-post.ts";
import { fillArchive } from "../nodes/fill.ts";
import { connectedNodes } from "../nodes-chaos/operator.ts";
import { type Actor, createActor } from "../nodes-chaos/processes.ts";
import { startPostgres, startStandby } from "../postgres/server.ts";
import { freePort } from "../service/free-port.ts";
import { until } from "../until.ts";

export type Cluster = {
  bases: readonly [string, string];
  gateways: readonly Actor[];
  nodes: readonly Actor[];
  failOver(): Promise<void>;
  control(): Promise<OpenControl>;
  jobCount(): Promise<number>;
  folder: string;
  remove(): Promise<void>;
};

const secretKey = Buffer.alloc(32, 7);

/** Gateways, one of which runs searches, three nodes, and PostgreSQL with a synchronous standby. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-cluster-"));
  const [port, standbyPort] = [await freePort(), await freePort()];
  const primary = await startPostgres([], port);
  const url = (await primary.createDatabase()).replace(
    `:${port}/`,
    `:${port},127.0.0.1:${standbyPort}/`,
  );
  const standby = await startStandby(primary, port, standbyPort);
  const settings = {
    EARSHOT_DATABASE_URL: url,
    EARSHOT_DATABASE_TIMEOUT: "2s",
    EARSHOT_SECRET_KEY: secretKey.toString("base64"),
    EARSHOT_DETECT_LANGUAGE: "off",
    EARSHOT_READERS: "1",
    EARSHOT_LEASE: "10s",
    EARSHOT_NODES_EVIDENCE: "none",
    EARSHOT_NODES_DISPATCHES_PER_SECOND: "1000",
  };

  async function addActor(
    name: string,
    command: string,
    settings: Record<string, string>,
  ): Promise<Actor> {
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    // A process without posts could not search.
    const post = makePost({ text: "a comet", createdMs: Date.now() - 60_000 });
    await fillArchive(configFrom({ EARSHOT_DATA_DIR: dataDir }).data, [post]);
    return createActor({
      ...{ name, dataDir, args: [command], logFile: join(folder, `${name}.log`) },
      ...{ settings, command: (program, args) => [program, [...args]] },
    });
  }

  const ports = [await freePort(), await freePort()];
  const bases = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
  const gateways = await inSequence(ports, (gatewayPort, index) =>
    addActor(`gateway-${index}`, "serve", {
      ...settings,
      EARSHOT_PORT: String(gatewayPort),
      EARSHOT_EMBEDDED_NODE: index === 0 ? "on" : "off",
    }),
  );
  const nodes = await inSequence([0, 1, 1], (gateway, index) =>
    addActor(`node-${index}`, "node", {
      EARSHOT_NODE_GATEWAY: bases[gateway] ?? "",
      EARSHOT_NODE_ENROLMENT_TOKEN: makeEnrolmentToken(secretKey),
      EARSHOT_NODE_EVIDENCE: "none",
      EARSHOT_READERS: "1",
    }),
  );
  for (const each of [...gateways, ...nodes]) each.start();

  const control = () =>
    openControl({
      dataDir: folder,
      database: { url, connections: 2, timeoutMs: 10_000, gateway: "test" },
    });
  await until("the nodes to register", async () => ((await approveNodes()) === 3 ? true : null));
  for (const base of bases) {
    await until(`the nodes of ${base}`, async () => {
      const connected = await connectedNodes(base).catch(() => 0);
      return connected > 0 ? true : null;
    });
  }

  async function approveNodes(): Promise<number> {
    const store = await control();
    const nodeRecords = await store.run("nodes", null);
    for (const { id, state } of nodeRecords) {
      const change = { nodeId: id, change: "approve", actor: "command_line" } as const;
      if (state === "pending") await store.run("changeNode", { ...change, nowMs: Date.now() });
    }
    await store.close();
    return nodeRecords.length;
  }

  return {
    ...{ bases, gateways, nodes, folder },
    failOver: async () => {
      await primary.stop("SIGQUIT");
      await standby.promote();
    },
    control,
    jobCount: async () => {
      const pool = openPool({ url, connections: 1, timeoutMs: 10_000, gateway: "test" });
      const [row] = await pool.unsafe<{ jobs: number }[]>("SELECT count(*) AS jobs FROM job");
      await pool.end();
      return row?.jobs ?? 0;
    },
    remove: async () => {
      for (const each of [...nodes, ...gateways]) await each.end("SIGKILL");
      await standby.remove();
      await primary.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function inSequence<Item, Value>(
  items: readonly Item[],
  make: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (const [index, item] of items.entries()) values.push(await make(item, index));
  return values;
}
