import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Api } from "../mcp/api.ts";
import type { Config } from "../server/config.ts";
import { packageVersion } from "../server/version.ts";
import {
  addServiceOptions,
  chooseService,
  type ServiceOptions,
  serviceHelp,
} from "./remote/choose-service.ts";
import type { Login } from "./remote/login-file.ts";
import { readConfig } from "./settings.ts";
import { untilStopped } from "./terminal/signals.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function addMcp(program: Command, terminal: Terminal): void {
  addServiceOptions(program.command("mcp"))
    .description(
      `Serves the Model Context Protocol on standard input and output, for AI agents. ${serviceHelp} A server offers the ` +
        "same at POST /mcp.",
    )
    .addHelpText(
      "after",
      "\nExamples (commands of an MCP client's configuration):\n" +
        "  EARSHOT_DATA_DIR=/var/lib/earshot earshot mcp\n" +
        "  EARSHOT_URL=https://search.example EARSHOT_API_KEY=ear_… earshot mcp",
    )
    .action((options: ServiceOptions) => serveMcp(options, terminal));
}

type ApiConnection = { api: Api; close(): Promise<void> };

async function serveMcp(options: ServiceOptions, terminal: Terminal): Promise<void> {
  const service = chooseService(terminal, options);
  // The client can list the tools while the archive opens.
  const connectionPromise = service === null ? openLocal(terminal) : openRemote(service);
  connectionPromise.catch(() => undefined);
  // Loaded on demand, so that other commands start faster.
  const [{ serveStdio }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../mcp/server.ts"),
  ]);
  const api: Api = async (request) => await (await connectionPromise).api(request);
  const context = { api, randomUuid: randomUUID };
  const stdioServer = serveStdio(() => createMcpServer(context, packageVersion()), {
    onerror: (error) => terminal.note(`mcp: ${error.message}\n`),
  });
  try {
    const sessionEnd = Promise.race([untilStopped(terminal.stopSignal), untilInputEnds()]);
    await Promise.race([sessionEnd, connectionPromise.then(() => sessionEnd)]);
  } finally {
    await stdioServer.close();
    await connectionPromise.then(({ close }) => close()).catch(() => undefined);
  }
}

/** The client ends the process by closing its input. */
const untilInputEnds = (): Promise<void> =>
  new Promise((end) => {
    process.stdin.once("end", end);
    process.stdin.once("close", end);
  });

async function openRemote(service: Login): Promise<ApiConnection> {
  const { openRemoteApi } = await import("./remote/remote-api.ts");
  return openRemoteApi(service);
}

async function openLocal(terminal: Terminal): Promise<ApiConnection> {
  const { config, removeFolder } = await configWithFolder(readConfig(terminal), terminal);
  const { startLocalService } = await import("../server/local-service.ts");
  const service = await startLocalService(config);
  const authorization = `Bearer ${service.key}`;
  const api: Api = async ({ method, path, headers, body }) => {
    const response = await service.app.inject({
      method,
      url: path,
      headers: { ...headers, authorization },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return { status: response.statusCode, text: response.body };
  };
  const close = async (): Promise<void> => {
    await service.stop();
    await removeFolder();
  };
  return { api, close };
}

/** Clients start this command in any folder, so it creates nothing there. */
async function configWithFolder(
  config: Config,
  terminal: Terminal,
): Promise<{ config: Config; removeFolder(): Promise<void> }> {
  const { dir } = config.data;
  const quietConfig: Config = {
    ...config,
    log: { level: terminal.environment.EARSHOT_LOG_LEVEL ? config.log.level : "warn" },
  };
  if (existsSync(join(dir, "archive")))
    return { config: quietConfig, removeFolder: async () => undefined };
  terminal.note(
    `mcp: no archive in ${resolve(dir)} (EARSHOT_DATA_DIR), so only platforms are searched\n`,
  );
  const folder = await mkdtemp(join(tmpdir(), "earshot-mcp-"));
  return {
    config: { ...quietConfig, data: { ...quietConfig.data, dir: folder } },
    removeFolder: () => rm(folder, { recursive: true, force: true }),
  };
}
