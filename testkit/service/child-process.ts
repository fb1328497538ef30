import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

export type Child = {
  pid: number;
  isRunning(): boolean;
  end(signal: NodeJS.Signals): Promise<void>;
};

export function startProgram(
  program: string,
  args: readonly string[],
  logFile: string,
  environment: NodeJS.ProcessEnv = process.env,
): Child {
  const log = openSync(logFile, "a");
  const child = spawn(program, args, { env: environment, stdio: ["ignore", log, log] });
  closeSync(log);
  return makeChild(child);
}

function makeChild(child: ChildProcess): Child {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  child.on("error", () => {});
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return {
    pid: child.pid ?? 0,
    isRunning,
    end: async (signal) => {
      if (!isRunning()) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}
