import { execFileSync } from "node:child_process";
import { freePort } from "../../testkit/service/free-port.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import {
  makeEnvironment,
  program,
  type ServerProcess,
  startServer,
} from "../../testkit/service/server-process.ts";
import type { Network } from "./network.ts";

export type Earshot = {
  server: ServerProcess;
  createKey(account: string): string;
  credentials(args: readonly string[], secrets?: string): string;
  converse(args: readonly string[], answer: (output: string) => Promise<string>): Promise<void>;
};

export async function startEarshot(
  dataDir: string,
  network: Network,
  settings: Record<string, string>,
): Promise<Earshot> {
  const { pds, plc, appview } = network;
  const allSettings = {
    EARSHOT_BLUESKY_APPVIEW_URL: appview,
    EARSHOT_PLC_URL: plc,
    EARSHOT_BLUESKY_PUBLIC: "on",
    EARSHOT_UPSTREAM_PRIVATE_HOSTS: [pds, plc, appview].join(","),
    EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "10000",
    ...settings,
  };
  const server = await startServer(dataDir, await freePort(), allSettings);
  const run = (args: readonly string[], input = ""): string =>
    execFileSync(process.execPath, [program, ...args], {
      env: makeEnvironment(dataDir, allSettings),
      encoding: "utf8",
      input,
      stdio: ["pipe", "pipe", "pipe"],
    });
  return {
    server,
    createKey: (account) => {
      const limits = [
        ...["--requests-per-second", "1000000"],
        ...["--submissions-per-minute", "100000000"],
      ];
      const printed = run([
        ...["keys", "create"],
        ...["--name", account, "--account", account],
        ...limits,
      ]);
      return printed.trim().split("\n").at(-1) ?? "";
    },
    credentials: (args, secrets) => run(["credentials", ...args], secrets),
    converse: async (args, answer) => {
      const environment = makeEnvironment(dataDir, allSettings) as Record<string, string>;
      const { code, notes } = await runCommand(
        ["credentials", ...args],
        environment,
        (readOutput) => ({
          interactive: true,
          ask: () => answer(readOutput()),
          askSecret: () => answer(readOutput()),
          readAll: async () => "",
        }),
      );
      if (code !== 0) throw new Error(notes);
    },
  };
}
