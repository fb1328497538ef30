import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

/** Official scenarios that do not use the suite's diagnostic tools. */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
  "sep-2164-resource-not-found",
];

const bin = join(import.meta.dirname, "node_modules/.bin");
const program = join(import.meta.dirname, "../../bin/earshot.mjs");

let service: ServiceUnderTest;
let key: string;
let folder: string;
let proxy: Server;

beforeAll(async () => {
  service = await startServiceUnderTest();
  key = await service.makeKey();
  folder = await mkdtemp(join(tmpdir(), "earshot-conformance-"));
  proxy = await startKeyProxy();
});

afterAll(async () => {
  proxy.close();
  await service.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Adds the key to each request, because the suite cannot send one. */
async function startKeyProxy(): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    const authorized = { ...headers, authorization: `Bearer ${key}` };
    const forwarded = request(
      new URL(url, service.url),
      { method, headers: authorized },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  }).listen(0, "localhost");
  await once(server, "listening");
  return server;
}

function serverAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return `http://localhost:${address.port}/mcp`;
}

/** Requirements that the suite tests only with its own diagnostic tools, which the server lacks. */
const untestable = new Map([
  ["ServerRejectsUndeclaredCapability", "no tool requires a client capability"],
  ["MissingCapabilityHttp400", "no tool requires a client capability"],
  ["HttpServerNoIndependentRequestsOnStream", "no tool sends requests to the client"],
  ["ServerNoLogWithoutLogLevel", "no tool sends log messages"],
]);

const run = async (name: string, args: readonly string[]): Promise<string> => {
  const { stdout } = await execute(name, args);
  return stdout;
};

const execute = (name: string, args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(bin, name), ...args], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      EARSHOT_DATA_DIR: service.dataDir,
      EARSHOT_BLUESKY_PUBLIC: "off",
    },
  });

const scenarioArguments = (scenario: string): string[] => [
  ...["server", "--url", serverAddress(proxy), "--scenario", scenario],
];

test.each(scenarios)("the server passes the official suite's scenario %s", async (scenario) => {
  const output = await run("conformance", scenarioArguments(scenario));
  expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
});

test("the server fails only the untestable requirements of the official suite's server-stateless scenario", async () => {
  const output = await execute("conformance", scenarioArguments("server-stateless")).then(
    ({ stdout }) => stdout,
    // The untestable requirements make the suite exit with 1.
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(output).toMatch(/Passed: 24\/28, 4 failed, 0 warnings/);
  const failed = [...output.matchAll(/^ {2}- (\w+): .*\n {4}Error: (.*)/gm)];
  expect(failed.map(([, name]) => name).sort()).toEqual([...untestable.keys()].sort());
  for (const [, , error] of failed) {
    expect(error).toMatch(/^Not testable: server does not list the diagnostic tool 'test_/);
  }
});

describe.each([
  [
    "HTTP",
    () => [
      "--server-url",
      `${service.url}/mcp`,
      "--transport",
      "http",
      "--header",
      `Authorization: Bearer ${key}`,
    ],
  ],
  ["standard input", () => [process.execPath, program, "mcp"]],
] as const)("the Inspector over %s", (_transport, target) => {
  const inspect = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await run("mcp-inspector", ["--cli", ...target(), ...args]));

  test("the Inspector lists the tools in strict mode", async () => {
    expect(await inspect("--method", "tools/list", "--strict")).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "search_posts" })]),
    });
  });

  test("the Inspector can call search_posts", async () => {
    const args = [
      "--method",
      "tools/call",
      "--tool-name",
      "search_posts",
      "--tool-arg",
      "query=comet",
    ];
    expect(await inspect(...args)).toMatchObject({
      structuredContent: { posts: [], complete: false },
    });
  });
});
