import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
import { makeEnvironment } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const checkout = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "earshot-package-"));
const released = join(folder, "released");
const installed = join(folder, "project");
const command = join(installed, "node_modules/.bin/earshot");
const run = promisify(execFile);
const environment = { ...makeEnvironment(join(folder, "data"), {}), XDG_CACHE_HOME: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  await release();
  await install(installed, "earshot-0.1.0.tgz");
}, 240_000);

async function install(project: string, name: string): Promise<void> {
  mkdirSync(project);
  await run("npm", ["init", "--yes"], { cwd: project });
  const options = ["--omit=optional", "--ignore-scripts"];
  await run("npm", ["install", ...options, join(released, name)], { cwd: project });
}

async function release(): Promise<void> {
  const copy = join(folder, "copy");
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: checkout, encoding: "utf8" });
  for (const name of listed.split("\0").filter((text) => existsSync(join(checkout, text)))) {
    if (name === "" || /^test(?:kit)?\//.test(name)) continue;
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(checkout, name), join(copy, name));
  }
  symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
  await run(join(copy, ".ci/release"), [released], { cwd: copy });
}

test("a release contains its packages, their checksums and a list of all dependencies", async () => {
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: released });
  expect(readdirSync(released).sort()).toEqual([
    "SHA256SUMS",
    "earshot-0.1.0.tgz",
    "earshot-client-0.1.0.tgz",
    "earshot-query-0.1.0.tgz",
    "earshot.cdx.json",
    "earshot_client-0.1.0-py3-none-any.whl",
    "earshot_client-0.1.0.tar.gz",
  ]);
  const listed = JSON.parse(readFileSync(join(released, "earshot.cdx.json"), "utf8"));
  expect(listed).toMatchObject({ bomFormat: "CycloneDX" });
  const packages: string[] = listed.components.map(({ purl }: { purl: string }) =>
    decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@[^@]+$/, "$1"),
  );
  const { dependencies } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const ownName = "@earshot/query";
  for (const name of Object.keys(dependencies))
    if (name !== ownName) expect(packages).toContain(name);
});

test("the query language, with its types, and the client can be installed separately", async () => {
  const query = join(folder, "query");
  await install(query, "earshot-query-0.1.0.tgz");
  const script = `
    import { parseQuery } from "@earshot/query";
    import { printQuery } from "@earshot/query/tree";
    console.log(printQuery(parseQuery("comet OR aurora").tree));`;
  const { stdout } = await run("node", ["--input-type=module", "-e", script], { cwd: query });
  expect(stdout).toBe("comet OR aurora\n");
  writeFileSync(
    join(query, "typed.mts"),
    `${script}\nexport const wrong: number = parseQuery("a");`,
  );
  const typed = await run(join(checkout, "node_modules/.bin/tsc"), ["--noEmit", "typed.mts"], {
    cwd: query,
  }).catch((error: { stdout: string }) => error);
  expect(typed.stdout.trim().split("\n")).toEqual([expect.stringMatching(/^typed\.mts.*'number'/)]);

  const client = join(folder, "client");
  await install(client, "earshot-client-0.1.0.tgz");
  const clientScript =
    'import { Earshot } from "earshot-client"; console.log(typeof new Earshot({ key: "k" }).search)';
  const printed = await run("node", ["--input-type=module", "-e", clientScript], { cwd: client });
  expect(printed.stdout).toBe("function\n");
});

test("the package contains the build, but neither sources nor tests", () => {
  const root = join(installed, "node_modules/earshot");
  expect(existsSync(join(root, "dist/server/main.js"))).toBe(true);
  expect(existsSync(join(root, "dist/web/index.html"))).toBe(true);
  expect(existsSync(join(root, "src"))).toBe(false);
  expect(existsSync(join(root, "test"))).toBe(false);
});

test("the installed command runs the demo and prints its version", async () => {
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

test("the installed command serves an MCP agent", async () => {
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
