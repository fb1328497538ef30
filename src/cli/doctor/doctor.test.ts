import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../../testkit/service/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-doctor-"));
const quietEnvironment = { EARSHOT_INGEST: "off", EARSHOT_BLUESKY_PUBLIC: "off" };

let offsetMs = 0;
const server = createServer((_request, response) => {
  response.setHeader("date", new Date(Date.now() + offsetMs).toUTCString());
  response.statusCode = 404;
  response.end();
});

beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function doctor(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, out, notes } = await runCommand(["doctor", "--json", ...args], {
    EARSHOT_DATA_DIR: folder,
    ...quietEnvironment,
    ...environment,
  });
  const findings = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);
  const findingFor = (subject: string) => findings.find((finding) => finding.subject === subject);
  return { code, notes, findingFor };
}

test("the doctor finds no errors in a folder that a server can use", async () => {
  const { code, findingFor } = await doctor({}, "--offline");
  expect(code).toBe(0);
  expect(findingFor("Node")).toMatchObject({ level: "ok", message: process.version });
  expect(findingFor("data folder")).toMatchObject({ level: "ok", message: folder });
  expect(findingFor("archive")).toMatchObject({ level: "ok", message: "not created yet" });
});

test("the doctor prints a problem with its fix", async () => {
  chmodSync(folder, 0o755);
  const { code, out } = await runCommand(["doctor", "--offline"], {
    EARSHOT_DATA_DIR: folder,
    ...quietEnvironment,
  });
  chmodSync(folder, 0o700);
  expect(out).toContain(`warning  data folder: other users can read ${folder}`);
  expect(out).toContain(`fix: chmod 700 ${folder}`);
  expect(code).toBe(0);
});

test("the doctor warns about a missing data folder, and does not create it", async () => {
  const missingFolder = join(folder, "none");
  const { code, findingFor } = await doctor({ EARSHOT_DATA_DIR: missingFolder }, "--offline");
  expect(code).toBe(0);
  expect(findingFor("data folder")).toMatchObject({ level: "warning" });
  expect(existsSync(missingFolder)).toBe(false);
});

test("the doctor reports every invalid setting as a separate error", async () => {
  const { code, notes, findingFor } = await doctor({
    EARSHOT_PORT: "web",
    EARSHOT_READERS: "none",
  });
  expect(code).toBe(1);
  expect(notes).toContain("2 errors");
  expect(findingFor("settings")?.message).toMatch(/EARSHOT_(PORT|READERS) must be/);
});

test("the doctor calls servers, and reports a clock that differs from theirs as an error", async () => {
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const settings = { EARSHOT_MASTODON_INSTANCE: `http://${host}` };
  const agreeingRun = await doctor(settings);
  expect(agreeingRun.findingFor(`network: ${host}`)).toMatchObject({ level: "ok" });
  expect(agreeingRun.findingFor("clock")).toMatchObject({ level: "ok" });
  offsetMs = 90_000;
  const differingRun = await doctor(settings);
  expect(differingRun.findingFor("clock")).toMatchObject({
    level: "error",
    message: expect.stringMatching(/^the clock is (89|90|91) s slow/),
  });
  expect(differingRun.code).toBe(1);
});

test("the doctor warns about a server that cannot be reached", async () => {
  const { code, findingFor } = await doctor({ EARSHOT_MASTODON_INSTANCE: "http://127.0.0.1:9" });
  expect(findingFor("network: 127.0.0.1:9")).toMatchObject({ level: "warning" });
  expect(code).toBe(0);
});
