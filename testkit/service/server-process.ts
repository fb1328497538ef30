import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

export const program = join(import.meta.dirname, "../../bin/earshot.mjs");

export type ServerProcess = {
  base: string;
  key: string;
  pid: number;
  /** Time to the first 200 of /readyz. */
  readyMs: number;
  child: ChildProcess;
  lastLines(): string;
  stop(): Promise<void>;
};

export function makeEnvironment(
  dataDir: string,
  settings: Record<string, string>,
): NodeJS.ProcessEnv {
  const inheritedVariables = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("EARSHOT_TEST_"),
  );
  return {
    ...Object.fromEntries(inheritedVariables),
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_BLUESKY_PUBLIC: "off",
    EARSHOT_LOG_LEVEL: "warn",
    ...settings,
  };
}

export async function startServer(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const environment = makeEnvironment(dataDir, { ...settings, EARSHOT_PORT: String(port) });
  await isReady("http://127.0.0.1:9");
  const startMs = performance.now();
  const child = spawn(process.execPath, [program, "serve"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLines = keepLastLines(child);
  const base = `http://127.0.0.1:${port}`;
  while (!(await isReady(base))) {
    if (child.exitCode !== null)
      throw new Error(`the server exited with ${child.exitCode}: ${lastLines()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const readyMs = performance.now() - startMs;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      program,
      "keys",
      "create",
      "--name",
      "bench",
      "--requests-per-second",
      "1000000",
      "--submissions-per-minute",
      "100000000",
    ],
    { env: environment },
  );
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  const key = stdout.trim().split("\n").at(-1) ?? "";
  return { base, key, pid: child.pid ?? 0, readyMs, child, lastLines, stop };
}

function keepLastLines(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (bytes: Buffer) => {
      text = `${text}${bytes.toString("utf8")}`.slice(-4_000);
    });
  }
  return () => text;
}

/** This check is cheap, because it competes with the measured start. */
function isReady(base: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${base}/readyz`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
