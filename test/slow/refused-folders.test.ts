import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { findingsIn } from "../../testkit/archives/findings-in.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { makeEnvironment, program, startServer } from "../../testkit/service/server-process.ts";
import { mountSmallDisk, type SmallDisk } from "../../testkit/service/small-disk.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const post = join(folder, "post.ndjson");
writeFileSync(
  post,
  `${JSON.stringify({ id: "1", text: "a comet", created_at: "2026-01-01T00:00:00Z", author: "a" })}\n`,
);

function run(dataDir: string, ...args: string[]): { code: number | null; output: string } {
  const env = makeEnvironment(dataDir, { EARSHOT_PORT: "0" });
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: "utf8",
    timeout: 30_000,
  });
  return { code: status, output: stderr };
}

function makeFolder(dataDir: string): void {
  expect(run(dataDir, "import", post, "--platform", "x").code).toBe(0);
  expect(run(dataDir, "keys", "create", "--name", "a").code).toBe(0);
}

function setNewerSchema(database: string): void {
  const opened = new DatabaseSync(database);
  opened.exec("PRAGMA user_version = 99");
  opened.close();
}

const commands = [
  ["serve"],
  ["search", "comet"],
  ["counts", "comet"],
  ["import", post, "--platform", "mastodon"],
  ["keys", "list"],
  ["archive", "stats"],
];

test.each([
  ["control.db", ["serve"], ["keys", "list"]],
  ["archive/catalog.db", ["serve"], ["search", "comet"]],
])(
  "a %s of a later version is rejected with one line and exit code 1, and left unchanged",
  (name, ...commandLines) => {
    const dataDir = join(folder, name.replace("/", "-"));
    makeFolder(dataDir);
    setNewerSchema(join(dataDir, name));
    const bytes = readFileSync(join(dataDir, name));
    for (const commandLine of commandLines) {
      const { code, output } = run(dataDir, ...commandLine);
      expect(code, commandLine.join(" ")).toBe(1);
      expect(output).toMatch(/^earshot: .*(has schema 99|written by a later version).* – use /);
      expect(output.trimEnd().split("\n")).toHaveLength(1);
    }
    expect(readFileSync(join(dataDir, name)).equals(bytes)).toBe(true);
  },
);

test("a second server exits with an error that names the process of the first", async () => {
  const dataDir = join(folder, "two");
  const server = await startServer(dataDir, await freePort());
  const { code, output } = run(dataDir, "serve");
  expect(code).toBe(1);
  expect(output).toContain(`another server (process ${server.pid} on ${hostname()}) is using`);
  await server.stop();
});

test("a server with a limit of 64 open files reports how many it needs and does not start", () => {
  const env = makeEnvironment(join(folder, "few-files"), { EARSHOT_PORT: "0" });
  const command = 'ulimit -n 64 && exec "$0" "$@"';
  const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, program, "serve"], {
    env,
    encoding: "utf8",
    timeout: 30_000,
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^earshot: this process can open 64 files, but requires 120 .* – raise the limit/,
  );
});

test("only one of six servers started together on one folder runs, and another can start after it is killed", async () => {
  const dataDir = join(folder, "six");
  makeFolder(dataDir);
  const servers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const port = await freePort();
      const env = makeEnvironment(dataDir, { EARSHOT_PORT: String(port) });
      const child = spawn(process.execPath, [program, "serve"], { env, stdio: "ignore" });
      return { port, child, ended: once(child, "exit") as Promise<[number | null]> };
    }),
  );
  const outcomes = await Promise.all(
    servers.map(async ({ port, ended }) => {
      const ready = until("the server is ready", () => isReady(port), 60_000).catch(() => null);
      return await Promise.race([ended.then(([code]) => code), ready]);
    }),
  );
  expect(outcomes.filter((outcome) => outcome === true)).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(5);

  const winner = servers[outcomes.indexOf(true)];
  winner?.child.kill("SIGKILL");
  await winner?.ended;
  const replacement = await startServer(dataDir, await freePort());
  expect(await findingsIn(join(dataDir, "archive"))).toEqual([]);
  await replacement.stop();
});

async function isReady(port: number): Promise<true | null> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return response?.status === 200 ? true : null;
}

const disk = mountSmallDisk(24);

describe.skipIf(disk === null)("a disk", () => {
  const small = disk as SmallDisk;
  const dataDir = join(small?.folder ?? "", "data");
  afterAll(() => small.remove());

  test("a server on a full disk reports that and does not start", () => {
    makeFolder(dataDir);
    small.fill();
    const { code, output } = run(dataDir, "serve");
    expect(code).toBe(1);
    expect(output).toMatch(
      /^earshot: .*disk.* full: \d+ bytes are free, but starting requires \d+/,
    );
    expect(output.trimEnd().split("\n")).toHaveLength(1);
    small.free();
  });

  test("every command on a read-only disk reports that in one line", () => {
    small.makeReadOnly();
    for (const commandLine of commands) {
      const { code, output } = run(dataDir, ...commandLine);
      expect(code, commandLine.join(" ")).toBe(1);
      expect(output, commandLine.join(" ")).toMatch(
        /^earshot: .* is not writable – check its permissions/,
      );
      expect(output.trimEnd().split("\n")).toHaveLength(1);
    }
  });
});
