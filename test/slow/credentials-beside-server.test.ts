import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import { type Child, startProgram } from "../../testkit/service/child-process.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import { until } from "../../testkit/until.ts";

const program = join(import.meta.dirname, "../../bin/earshot.mjs");
const canary = "canary-4f8e1b2c9d7a6053-bearer";
const acceptedTokens = [canary];

let dataDir: string;
let logFile: string;
let emulator: XEmulator;
let server: Child;
let base: string;
let key: string;
let environment: Record<string, string>;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-credentials-"));
  logFile = join(dataDir, "server.log");
  emulator = await startXEmulator({
    appTokens: acceptedTokens,
    world: { users: [{ id: "1", username: "ann", name: "Ann" }] },
  });
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  environment = {
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_LOG_LEVEL: "trace",
    EARSHOT_PORT: String(port),
    EARSHOT_X_API_URL: emulator.url,
  };
  server = startProgram(process.execPath, [program, "serve"], logFile, {
    ...process.env,
    ...environment,
  });
  await until("the server is ready", async () => {
    const response = await fetch(`${base}/readyz`).catch(() => null);
    return response?.ok ? response.status : null;
  });
  const limits = ["--requests-per-second", "1000", "--submissions-per-minute", "1000"];
  const created = await runCommand(["keys", "create", "--name", "test", ...limits], environment);
  key = created.out.trim();
});

afterAll(async () => {
  await server.end("SIGTERM");
  await emulator.close();
  rmSync(dataDir, { recursive: true });
});

async function request(method: string, path: string, body?: unknown) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function profile(): Promise<{ statuses: number[]; text: string }> {
  const requestArgs = { type: "getprofilebyid", query: "@ann", max_results: 1 };
  const path = "/v1/search/live/x";
  const submitted = await request("POST", path, { type: "social-api", arguments: requestArgs });
  if (submitted.status !== 202) return { statuses: [submitted.status], text: submitted.text };
  const { uuid } = JSON.parse(submitted.text);
  const result = await request("GET", `${path}/result/${uuid}?wait=20`);
  const status = await request("GET", `${path}/status/${uuid}`);
  return { statuses: [submitted.status, result.status], text: result.text + status.text };
}

test("a new credential is used from the next request on, quarantined when rejected, and never revealed", async () => {
  const outputs: string[] = [];
  const credentials = async (...args: string[]): Promise<string> => {
    const { out, notes } = await runCommand(["credentials", ...args], environment, () => ({
      interactive: false,
      ask: async () => "",
      askSecret: async () => "",
      readAll: async () => canary,
    }));
    outputs.push(out + notes);
    return out + notes;
  };
  const requested = async () => {
    const outcome = await profile();
    outputs.push(outcome.text);
    return outcome;
  };

  expect((await requested()).text).toContain('"no_credential"');
  expect(await credentials("add", "x", "app-token", "--secrets", "-")).toMatch(
    /^credential .* stored: /,
  );
  const found = await requested();
  expect(found.statuses).toEqual([202, 200]);
  expect(found.text).toContain('"ID":"1"');
  acceptedTokens.length = 0;
  expect((await requested()).text).toContain("refused the application's token");
  expect(await credentials("list")).toMatch(/quarantined: .*\n/);
  expect((await requested()).text).toContain('"no_credential"');
  expect(await credentials("test")).toMatch(/failed: /);
  acceptedTokens.push(canary);
  expect(await credentials("test")).toMatch(/released from quarantine/);
  expect((await requested()).statuses).toEqual([202, 200]);

  expect(emulator.requests.some(({ authorization }) => authorization?.includes(canary))).toBe(true);
  outputs.push((await request("GET", "/metrics")).text);
  for (const output of outputs) expect(output).not.toContain(canary);
  const log = readFileSync(logFile, "utf8");
  expect(log.split("\n").length).toBeGreaterThan(10);
  for (const name of readdirSync(dataDir, { recursive: true, encoding: "utf8" })) {
    const path = join(dataDir, name);
    if (statSync(path).isFile()) {
      expect(readFileSync(path).includes(canary), name).toBe(false);
    }
  }
});
