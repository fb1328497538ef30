import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../testkit/mcp/tool-calls.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { environmentOf } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const checkout = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "earshot-package-"));
const installed = join(folder, "project");
const command = join(installed, "node_modules/.bin/earshot");
const run = promisify(execFile);
const environment = { ...environmentOf(join(folder, "data"), {}), XDG_CACHE_HOME: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const packed = await pack();
  mkdirSync(installed);
  await run("npm", ["init", "--yes"], { cwd: installed });
  await run("npm", ["install", "--omit=optional", "--ignore-scripts", packed], { cwd: installed });
}, 240_000);

/** Builds the npm package in a copy, as a build replaces files in use. */
async function pack(): Promise<string> {
  const copy = join(folder, "copy");
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: checkout, encoding: "utf8" });
  for (const name of listed.split("\0").filter((each) => existsSync(join(checkout, each)))) {
    if (name === "" || /^test(?:kit)?\//.test(name)) continue;
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(checkout, name), join(copy, name));
  }
  symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: copy });
  return join(folder, "earshot-0.1.0.tgz");
}

test("the package holds the build, and neither sources nor tests", () => {
  const root = join(installed, "node_modules/earshot");
  expect(existsSync(join(root, "dist/server/main.js"))).toBe(true);
  expect(existsSync(join(root, "dist/web/index.html"))).toBe(true);
  expect(existsSync(join(root, "src"))).toBe(false);
  expect(existsSync(join(root, "test"))).toBe(false);
});

test("the installed command shows the main job offline", async () => {
  const { stdout } = await run(command, ["demo"], { cwd: installed, env: environment });
  expect(stdout).toContain("202");
  expect((await run(command, ["--version"])).stdout).toBe("0.1.0\n");
});

test("the installed command imports posts and finds them", async () => {
  const file = join(folder, "posts.ndjson");
  const post = { id: "1", author: "ann", created_at: "2022-03-05T07:00:00Z", text: "heavy rain" };
  writeFileSync(file, `${JSON.stringify(post)}\n`);
  await run(command, ["import", file, "--platform", "x"], { env: environment });
  const found = await run(command, ["search", "rain"], { env: environment });
  expect(found.stdout).toContain("heavy rain");
});

test("the installed command serves an agent", async () => {
  const env = { PATH: process.env.PATH ?? "", EARSHOT_BLUESKY_PUBLIC: "off", ...environment };
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StdioClientTransport({ command, args: ["mcp"], env }));
  const found = await callTool(client, "search_posts", { query: "rain", scope: "all" });
  expect(found.text).toContain("> heavy rain");
  await client.close();
});

test("the installed service serves its API, its docs and its dashboard", async () => {
  const port = await freePort();
  const server = spawn(command, ["serve"], {
    env: { ...environment, EARSHOT_PORT: String(port) },
    stdio: "ignore",
  });
  const ended = once(server, "exit");
  const get = (path: string): Promise<Response | null> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: "text/html" } }).catch(
      () => null,
    );
  await until("the server to be ready", async () =>
    (await get("/readyz"))?.ok === true ? true : null,
  );
  expect(await (await get("/openapi.json"))?.text()).toContain('"openapi"');
  expect(await (await get("/docs"))?.text()).toContain("Earshot");
  expect(await (await get("/"))?.text()).toContain("<script");
  server.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
});
