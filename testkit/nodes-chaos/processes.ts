import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { makeEnvironment, program } from "../service/server-process.ts";

export type Actor = {
  name: string;
  start(): void;
  signal(signal: NodeJS.Signals): void;
  end(signal: NodeJS.Signals): Promise<void>;
  isRunning(): boolean;
};

export type ActorOptions = {
  name: string;
  args: readonly string[];
  dataDir: string;
  settings: Record<string, string>;
  logFile: string;
  command: (program: string, args: readonly string[]) => [string, string[]];
};

export function createActor(options: ActorOptions): Actor {
  const { name, args, dataDir, settings, logFile } = options;
  let child: ChildProcess | null = null;
  const isRunning = (): boolean =>
    child !== null && child.exitCode === null && child.signalCode === null;
  process.once("exit", () => child?.kill("SIGKILL"));
  return {
    name,
    isRunning,
    start: () => {
      const [file, allArgs] = options.command(process.execPath, [program, ...args]);
      const log = openSync(logFile, "a");
      child = spawn(file, allArgs, {
        env: makeEnvironment(dataDir, settings),
        stdio: ["ignore", log, log],
      });
      closeSync(log);
      child.on("error", () => undefined);
    },
    signal: (signal) => {
      if (isRunning()) child?.kill(signal);
    },
    end: async (signal) => {
      if (child === null || !isRunning()) return;
      const exit = once(child, "exit");
      child.kill(signal);
      await exit;
    },
  };
}

const run = promisify(execFile);

export async function runEarshot(
  dataDir: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], {
    env: makeEnvironment(dataDir, settings),
    timeout: 60_000,
  });
  return stdout;
}
