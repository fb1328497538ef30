import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Child, startProgram } from "../service/child-process.ts";
import { freePort } from "../service/free-port.ts";
import { until } from "../until.ts";

/** A process that keeps its data across restarts. */
export type JetstreamProcess = {
  /** Serves `/subscribe`; remains the same after a restart. */
  port: number;
  pid(): number;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
};

/** Throws if Go is not installed. */
export function buildJetstream(): string {
  const script = join(import.meta.dirname, "../../.ci/jetstream");
  return execFileSync(script, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

/** Listens only on 127.0.0.1. */
export async function startJetstreamProcess(
  folder: string,
  { relayUrl, plcUrl }: { relayUrl: string; plcUrl: string },
): Promise<JetstreamProcess> {
  const program = join(buildJetstream(), "jetstream");
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  let child: Child | null = null;
  const args = ["--log-level", "warn", "serve", "--addr", `127.0.0.1:${port}`];
  args.push("--debug-addr", "", "--data-dir", join(folder, "data"));
  args.push("--relay-url", relayUrl, "--plc-url", plcUrl);
  const start = async (): Promise<void> => {
    const newChild = startProgram(program, args, join(folder, "jetstream.log"));
    child = newChild;
    // The status is 503 until Jetstream knows the network, then 426.
    await until("Jetstream is serving", async () => {
      if (!newChild.isRunning()) throw new Error(`Jetstream exited: see ${folder}/jetstream.log`);
      const response = await fetch(`http://127.0.0.1:${port}/subscribe`).catch(() => null);
      await response?.body?.cancel();
      return response?.status === 426 || null;
    });
  };
  await start();
  return {
    port,
    pid: () => child?.pid ?? 0,
    start,
    end: async (signal) => await child?.end(signal),
  };
}

export type SimulatorProcess = {
  url: string;
  start(commitsPerSecond: number): Promise<void>;
  end(): Promise<void>;
};

export async function createSimulator(
  folder: string,
  { accounts, seed }: { accounts: number; seed: number },
): Promise<SimulatorProcess> {
  const program = join(buildJetstream(), "simulator");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(folder, { recursive: true });
  let child: Child | null = null;
  const args = ["--log-level", "warn", "serve", "--addr", `127.0.0.1:${port}`, "--public-url", url];
  args.push("--data-dir", join(folder, "world"), "--initial-records-per-account", "0");
  args.push("--accounts", String(accounts), "--seed", String(seed), "--firehose-history", "100000");
  const end = async (): Promise<void> => await child?.end("SIGTERM");
  const start = async (commitsPerSecond: number): Promise<void> => {
    await end();
    const rate = ["--commits-per-sec", String(commitsPerSecond)];
    const newChild = startProgram(program, [...args, ...rate], join(folder, "simulator.log"));
    child = newChild;
    await until("the simulator is serving", async () => {
      if (!newChild.isRunning())
        throw new Error(`the simulator exited: see ${folder}/simulator.log`);
      const response = await fetch(url).catch(() => null);
      await response?.body?.cancel();
      return response === null ? null : true;
    });
  };
  return { url, start, end };
}
