import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../until.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";
import { freePort } from "./free-port.ts";
import { makeEnvironment, program } from "./server-process.ts";
import { makeSlowDisk } from "./slow-disk.ts";

export type FaultyServer = {
  /** Remains the same after a restart. */
  base: string;
  faults: Record<"killed" | "stopped" | "diskFull" | "cut" | "frozen", () => Promise<void>>;
  /** With it, other commands share the full disk. */
  environment: NodeJS.ProcessEnv;
  makeKey(name: string): string;
  start(fsyncMs: number): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
};

const unlimitedRates = [
  "--requests-per-second",
  "1000000",
  "--submissions-per-minute",
  "100000000",
];

export async function prepareFaultyServer(
  folder: string,
  random: () => number,
  settings: Record<string, string> = {},
): Promise<FaultyServer> {
  const port = await freePort();
  const proxy: CuttingProxy = await startCuttingProxy(port);
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  const disk = makeSlowDisk(folder, 0);
  const environment = makeEnvironment(data, {
    EARSHOT_PORT: String(port),
    EARSHOT_LOG_LEVEL: "fatal",
    EARSHOT_RETRY_DELAY: "50ms",
    EARSHOT_LEASE: "2s",
    ...settings,
  });
  let child: ChildProcess | null = null;
  let stderrOutput = "";
  const pause = (minMs: number, maxMs: number) => sleep(minMs + random() * (maxMs - minMs));

  async function start(fsyncMs: number): Promise<void> {
    const server = spawn(process.execPath, [program, "serve"], {
      env: { ...environment, ...disk.environment, SLOW_DISK_MS: String(fsyncMs) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    stderrOutput = "";
    server.stderr.on("data", (text) => {
      stderrOutput += text;
    });
    child = server;
    await until("the server is ready", async () => {
      throwIfEnded(server);
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      return response?.status === 200 ? true : null;
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const server = child;
    child = null;
    if (server === null) return;
    throwIfEnded(server);
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  function throwIfEnded({ exitCode }: ChildProcess): void {
    if (exitCode !== null) throw new Error(`the server ended with ${exitCode}: ${stderrOutput}`);
  }

  return {
    base: `http://127.0.0.1:${proxy.port}`,
    environment: { ...environment, ...disk.environment },
    faults: {
      killed: async () => {
        await end("SIGKILL");
        await start(random() < 0.5 ? 0 : 40);
      },
      stopped: async () => {
        child?.kill("SIGSTOP");
        await pause(300, 3_000);
        child?.kill("SIGCONT");
      },
      diskFull: async () => {
        disk.fill();
        await pause(300, 2_000);
        disk.empty();
      },
      cut: async () => proxy.cut(),
      frozen: async () => {
        proxy.freeze();
        await pause(200, 1_000);
      },
    },
    makeKey: (name) =>
      execFileSync(
        process.execPath,
        [program, "keys", "create", "--name", name, ...unlimitedRates],
        {
          env: environment,
          encoding: "utf8",
        },
      )
        .trim()
        .split("\n")
        .at(-1) ?? "",
    start,
    stop: () => end("SIGTERM"),
    close: async () => {
      await end("SIGKILL");
      await proxy.close();
    },
  };
}
