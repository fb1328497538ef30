import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { foundPosts, matchAllQuery } from "../archives/found-posts.ts";
import { freePort } from "../service/free-port.ts";
import { residentMb, type ServerProcess, startServer } from "../service/server-process.ts";
import { createSimulator, startJetstreamProcess } from "./jetstream-process.ts";

/** The simulator, a real Jetstream and the service. */
export type SimulatedStream = {
  /** The service ingests from the first event on. */
  startService(name: string, settings: Record<string, string>): Promise<ServerProcess>;
  startTraffic(): Promise<void>;
  endTraffic(): Promise<void>;
  /** Post texts by uri from Jetstream's own replay, and the number of events. */
  jetstreamPosts(): Promise<{ posts: Map<string, string>; events: number }>;
  close(): Promise<void>;
};

export type StreamSample = {
  events: number;
  lagSeconds: number;
  waiting: number;
  residentMb: number;
};

export async function startSimulatedStream(
  folder: string,
  network: { accounts: number; seed: number },
): Promise<SimulatedStream> {
  mkdirSync(folder, { recursive: true });
  const simulator = await createSimulator(folder, network);
  // Reading all repositories is too slow under full traffic.
  await simulator.start(1);
  const jetstream = await startJetstreamProcess(folder, {
    relayUrl: simulator.url,
    plcUrl: simulator.url,
  });
  const url = `ws://127.0.0.1:${jetstream.port}/subscribe`;
  const services: ServerProcess[] = [];
  return {
    startService: async (name, settings) => {
      const service = await startServer(join(folder, name), await freePort(), {
        EARSHOT_INGEST: "bluesky",
        EARSHOT_JETSTREAM_URLS: url,
        EARSHOT_INGEST_LOOKBACK: "1d",
        EARSHOT_LABELER_URLS: "none",
        EARSHOT_LOOKUP: "off",
        ...settings,
      });
      services.push(service);
      return service;
    },
    startTraffic: () => simulator.start(1_000_000),
    endTraffic: simulator.end,
    jetstreamPosts: () => readReplay(url),
    close: async () => {
      for (const service of services) await stopServer(service);
      await jetstream.end("SIGKILL");
      await simulator.end();
    },
  };
}

async function stopServer({ child, stop }: ServerProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await stop();
}

export async function takeSample({ base, pid }: ServerProcess): Promise<StreamSample> {
  const metrics = await (await fetch(`${base}/metrics`)).text();
  const metric = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1] ?? 0);
  return {
    events: metric("earshot_ingest_events_total"),
    lagSeconds: metric("earshot_ingest_lag_seconds"),
    waiting: metric("earshot_ingest_waiting_events"),
    residentMb: residentMb(pid),
  };
}

export async function foundTexts(service: ServerProcess): Promise<Map<string, string>> {
  const posts = await foundPosts(service, matchAllQuery);
  return new Map(posts.map(({ Content, Metadata }) => [Metadata.uri, Content]));
}

const postCollection = "app.bsky.feed.post";
/** Long enough, because Jetstream sends events twice per second. */
const quietMs = 3_000;

type ReplayedEvent = {
  did: string;
  commit?: { operation: string; collection: string; rkey: string; record?: { text?: string } };
  account?: { active: boolean; status?: string };
};

/** Reads Jetstream's replay without Earshot code. */
function readReplay(url: string): Promise<{ posts: Map<string, string>; events: number }> {
  const posts = new Map<string, string>();
  let events = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${url}?cursor=0&wantedCollections=${postCollection}`);
  const quietTimer = setTimeout(resolve, quietMs);
  socket.on("error", reject);
  socket.on("message", (data) => {
    quietTimer.refresh();
    events += 1;
    apply(JSON.parse(String(data)) as ReplayedEvent);
  });

  function apply({ did, commit, account }: ReplayedEvent): void {
    if (account?.active === false) {
      throw new Error(`the simulator sent an unexpected event: ${JSON.stringify(account)}`);
    }
    if (commit?.collection !== postCollection) return;
    const uri = `at://${did}/${postCollection}/${commit.rkey}`;
    if (commit.operation === "delete") posts.delete(uri);
    else posts.set(uri, commit.record?.text ?? "");
  }

  return promise
    .then(() => ({ posts, events }))
    .finally(() => {
      clearTimeout(quietTimer);
      socket.terminate();
    });
}
