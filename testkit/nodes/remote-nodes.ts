import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { systemClock } from "../../src/lib/clock.ts";
import type { Upstream } from "../../src/platforms/upstream.ts";
import type { Platform, Post } from "../../src/posts/post.ts";
import {
  type SimulatedFiles,
  writeSimulatedTee,
} from "../../src/remote/evidence/simulated/simulated-folder.ts";
import { makeEnrolmentToken } from "../../src/remote/protocol/enrolment.ts";
import type { AttestationStatus } from "../../src/remote/worker/attest-loop.ts";
import { configFrom } from "../../src/server/config.ts";
import { type RemoteNode, startRemoteNode } from "../../src/server/nodes/start-node.ts";
import { freePort } from "../service/free-port.ts";
import { type ServiceUnderTest, startServiceUnderTest } from "../service/service-under-test.ts";
import { until } from "../until.ts";
import { fillArchive } from "./fill.ts";

export type GatewayUnderTest = {
  service(): ServiceUnderTest;
  url: string;
  dataDir: string;
  files: SimulatedFiles;
  stop(): Promise<void>;
  /** Starts the gateway at the same address. */
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** Runs no jobs; accepts nodes with simulated evidence or none. */
export async function startGateway(
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-gateway-"));
  const files = await writeSimulatedTee(join(folder, "simulated"), systemClock.now());
  const allSettings = {
    EARSHOT_DATA_DIR: join(folder, "data"),
    EARSHOT_PORT: String(await freePort()),
    EARSHOT_EMBEDDED_NODE: "off",
    EARSHOT_NODES_EVIDENCE: "simulated,none",
    EARSHOT_NODES_POLICY: files.policy,
    EARSHOT_NODES_COLLATERAL: files.collateralFolder,
    EARSHOT_NODES_DISPATCHES_PER_SECOND: "1000",
    ...settings,
  };
  let service = await startServiceUnderTest(allSettings);
  return {
    service: () => service,
    url: service.url,
    dataDir: allSettings.EARSHOT_DATA_DIR,
    files,
    stop: () => service.stop(),
    start: async () => {
      service = await startServiceUnderTest(allSettings);
    },
    remove: async () => {
      await service.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type NodeUnderTest = RemoteNode & {
  dataDir: string;
  statuses: readonly AttestationStatus[];
  waitUntilAdmitted(): Promise<void>;
  remove(): Promise<void>;
};

export async function startNodeUnderTest({
  gateway,
  evidence,
  posts = [],
  upstreams = {},
  dataDir: existingDir,
  settings = {},
  log,
}: {
  gateway: GatewayUnderTest;
  evidence: "simulated" | "none";
  posts?: readonly Post[];
  upstreams?: Partial<Record<Platform, Upstream>>;
  dataDir?: string;
  settings?: Readonly<Record<string, string>>;
  log?: Logger;
}): Promise<NodeUnderTest> {
  const dataDir = existingDir ?? (await mkdtemp(join(tmpdir(), "earshot-node-")));
  await copyFile(gateway.files.tee, join(dataDir, "tee.json"));
  const config = configFrom({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_PORT: "0",
    EARSHOT_LOG_LEVEL: "silent",
    EARSHOT_BLUESKY_PUBLIC: "off",
    EARSHOT_NODE_GATEWAY: gateway.url,
    EARSHOT_NODE_ENROLMENT_TOKEN: makeEnrolmentToken(gateway.service().context.secrets.secretKey),
    EARSHOT_NODE_EVIDENCE: evidence,
    EARSHOT_READERS: "1",
    ...settings,
  });
  if (posts.length > 0) await fillArchive(config.data, posts);
  const statuses: AttestationStatus[] = [];
  const node = await startRemoteNode(config, {
    name: "under-test",
    upstreams,
    ...(log && { log }),
    onStatus: (status) => statuses.push(status),
  });
  return {
    ...node,
    dataDir,
    statuses,
    waitUntilAdmitted: async () => {
      await until("the node is admitted", () => (node.status().state === "admitted" ? true : null));
    },
    remove: async () => {
      await node.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
