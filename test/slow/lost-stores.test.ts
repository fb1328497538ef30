import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import { makeEnvironment, program, startServer } from "../../testkit/service/server-process.ts";

const settings = { EARSHOT_SEGMENT_POSTS: "100", EARSHOT_SEAL: "off" };
const posts = 450;

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-lost-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The folder after kill -9, with an early copy of its catalog. */
const killed = join(folder, "killed");
const early = join(folder, "early.db");

function writePosts(from: number, to: number): string {
  const lines = Array.from({ length: to - from }, (_, index) => {
    const n = from + index;
    const created_at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
    return JSON.stringify({ id: String(n + 1), text: `a comet ${n}`, created_at, author: "a" });
  });
  const path = join(folder, `posts-${from}.ndjson`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

function run(dataDir: string, ...args: string[]): { code: number | null; output: string } {
  const env = makeEnvironment(dataDir, { ...settings, EARSHOT_PORT: "0" });
  const options = { env, encoding: "utf8", timeout: 60_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], options);
  return { code: status, output: stderr };
}

const importPosts = (dataDir: string, from: number, to: number) =>
  run(dataDir, "import", writePosts(from, to), "--platform", "mastodon");

const segmentFiles = (dataDir: string): string[] =>
  readdirSync(join(dataDir, "archive", "mastodon")).filter((name) => name.endsWith(".db"));

beforeAll(async () => {
  expect(importPosts(killed, 0, 50).code).toBe(0);
  cpSync(join(killed, "archive", "catalog.db"), early);
  const server = await startServer(killed, await freePort(), settings);
  for (let from = 50; from < posts; from += 100) {
    expect(importPosts(killed, from, from + 100).code).toBe(0);
  }
  const env = makeEnvironment(killed, settings);
  const forget = ["archive", "forget", "--query", '"comet 7"', "--yes"];
  const child = spawn(process.execPath, [program, ...forget], { env, stdio: "ignore" });
  expect(await once(child, "exit")).toEqual([0, null]);
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
}, 120_000);

function getCopy(name: string): string {
  const dataDir = join(folder, name.replaceAll(" ", "-"));
  cpSync(killed, dataDir, { recursive: true });
  return dataDir;
}

const getCatalog = (dataDir: string): string => join(dataDir, "archive", "catalog.db");

function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

async function countFound(dataDir: string): Promise<number> {
  const server = await startServer(dataDir, await freePort(), settings);
  const client = connect(server.base, server.key);
  const text = await client.result(await client.submit("comet", 500));
  client.close();
  await server.stop();
  return (JSON.parse(text) as unknown[]).length;
}

describe("a catalog that is missing or out of date", () => {
  const losses: [string, (dataDir: string) => void, RegExp][] = [
    [
      "missing",
      (dataDir) => removeDatabase(getCatalog(dataDir)),
      /is missing, but its folder contains segments/,
    ],
    [
      "empty",
      (dataDir) => {
        removeDatabase(getCatalog(dataDir));
        writeFileSync(getCatalog(dataDir), "");
      },
      /is empty, but its folder contains segments/,
    ],
    [
      "cut off",
      (dataDir) => {
        removeDatabase(getCatalog(dataDir));
        cpSync(early, getCatalog(dataDir));
        truncateSync(getCatalog(dataDir), 20_000);
      },
      /is damaged/,
    ],
    [
      "an early copy",
      (dataDir) => {
        removeDatabase(getCatalog(dataDir));
        cpSync(early, getCatalog(dataDir));
      },
      /is older than its segments/,
    ],
    [
      "without its log, one bit of which is flipped",
      (dataDir) => {
        const path = `${getCatalog(dataDir)}-wal`;
        const log = readFileSync(path);
        log[200] = (log[200] ?? 0) ^ 1;
        writeFileSync(path, log);
        rmSync(`${getCatalog(dataDir)}-shm`, { force: true });
      },
      /is older than its segments|contains segments/,
    ],
    [
      "another archive's",
      (dataDir) => {
        const other = join(folder, "another");
        importPosts(other, 0, 50);
        removeDatabase(getCatalog(dataDir));
        cpSync(getCatalog(other), getCatalog(dataDir));
      },
      /is not the catalog of the archive that/,
    ],
  ];

  test.each(losses)(
    "a catalog that is %s is rejected with instructions, and recovered with every post",
    async (name, lose, message) => {
      const dataDir = getCopy(name);
      const before = segmentFiles(dataDir);
      expect(before.length).toBeGreaterThan(3);
      lose(dataDir);
      for (const command of [
        ["serve"],
        ["archive", "reindex"],
        ["archive", "backup", join(folder, `${name}-backup`)],
      ]) {
        const { code, output } = run(dataDir, ...command);
        expect(code, command.join(" ")).toBe(1);
        expect(output).toMatch(message);
        expect(output).toMatch(/archive recover/);
      }
      expect(importPosts(dataDir, 500, 510).code).toBe(1);
      expect(run(dataDir, "archive", "check").code).toBe(1);
      expect(segmentFiles(dataDir)).toEqual(before);

      const recovery = run(dataDir, "archive", "recover");
      expect(recovery.output).toBe("");
      expect(recovery.code).toBe(0);
      expect(run(dataDir, "archive", "check", "--full")).toEqual({ code: 0, output: "" });
      // A deleted post is not stored again.
      expect(importPosts(dataDir, 0, 50).code).toBe(0);
      expect(await countFound(dataDir)).toBe(posts - 1);
    },
  );
});

describe("a missing control store", () => {
  const path = (dataDir: string): string => join(dataDir, "control.db");
  const losses: [string, (dataDir: string) => void, RegExp][] = [
    [
      "a missing control store",
      (dataDir) => removeDatabase(path(dataDir)),
      /is missing or empty, but .*control\.id refers to/,
    ],
    [
      "an empty control store",
      (dataDir) => {
        removeDatabase(path(dataDir));
        writeFileSync(path(dataDir), "");
      },
      /is missing or empty/,
    ],
    [
      "another control store",
      (dataDir) => {
        const other = join(folder, "another-control");
        expect(run(other, "keys", "create", "--name", "a").code).toBe(0);
        removeDatabase(path(dataDir));
        cpSync(path(other), path(dataDir));
      },
      /is not the control store of/,
    ],
  ];

  test.each(losses)(
    "a folder with %s is rejected until its control.id is removed",
    (name, lose, message) => {
      const dataDir = getCopy(name);
      lose(dataDir);
      for (const command of [["serve"], ["keys", "create", "--name", "b"]]) {
        const { code, output } = run(dataDir, ...command);
        expect(code).toBe(1);
        expect(output).toMatch(message);
      }
      rmSync(join(dataDir, "control.id"));
      expect(run(dataDir, "keys", "list").code).toBe(0);
      expect(existsSync(join(dataDir, "control.id"))).toBe(true);
    },
  );
});
