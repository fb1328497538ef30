import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../testkit/service/free-port.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { buildJetstream } from "../../testkit/upstreams/jetstream-process.ts";

/** Can be restarted on its data folder; every other start uses the compressed stream. */
export type Earshot = {
  server(): ServerProcess | null;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export async function startEarshot(
  dataDir: string,
  settings: Record<string, string>,
): Promise<Earshot> {
  const port = await freePort();
  mkdirSync(dataDir, { recursive: true });
  copyFileSync(join(buildJetstream(), "jetstream.zdict"), join(dataDir, "jetstream.zdict"));
  let starts = 0;
  let server: ServerProcess | null = null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const runningServer = server;
    server = null;
    if (runningServer === null) return;
    const exit = new Promise((resolve) => runningServer.child.once("exit", resolve));
    runningServer.child.kill(signal);
    await exit;
  };
  const start = async (): Promise<void> => {
    starts += 1;
    const compress = starts % 2 === 0 ? "on" : "off";
    server ??= await startServer(dataDir, port, {
      ...settings,
      EARSHOT_JETSTREAM_COMPRESS: compress,
    });
  };
  await start();
  return {
    server: () => server,
    start,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
