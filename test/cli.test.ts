import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const bin = join(import.meta.dirname, "..", "bin", "earshot.mjs");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-process-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Run = { child: ChildProcess; out: () => string; notes: () => string; ended: Promise<Ending> };
type Ending = { code: number | null; signal: string | null };

/** Starts the real program in a folder of its own for temporary files and data. */
function start(args: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      EARSHOT_DATA_DIR: join(folder, "data"),
      EARSHOT_PORT: "0",
      EARSHOT_INGEST: "off",
      EARSHOT_LOG_LEVEL: "silent",
      ...environment,
    },
  });
  let out = "";
  let notes = "";
  child.stdout?.on("data", (text) => {
    out += text;
  });
  child.stderr?.on("data", (text) => {
    notes += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  return { child, out: () => out, notes: () => notes, ended };
}

async function earshot(args: readonly string[], environment = {}, input = "") {
  const run = start(args, environment);
  run.child.stdin?.end(input);
  return { ...(await run.ended), out: run.out(), notes: run.notes() };
}

/** Resolves with the first match in what the program prints; fails when it ends before. */
function printed(run: Run, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(run.out());
      if (match) resolve(match[1] ?? match[0]);
    };
    run.child.stdout?.on("data", look);
    const give = () => reject(new Error(`ended without ${pattern}: ${run.out()}${run.notes()}`));
    run.ended.then(give, reject);
    look();
  });
}

describe("the process", () => {
  test("ends with the exit code of the command", async () => {
    expect(await earshot(["explain", "cats"])).toMatchObject({ code: 0, notes: "" });
    expect(await earshot(["search", "cats"])).toMatchObject({ code: 1, out: "" });
    expect(await earshot(["explian"])).toMatchObject({ code: 2, out: "" });
  });

  test("draws no bar and no colour into a pipe", async () => {
    const line = JSON.stringify({
      author: "a_demo",
      created_at: "2020-01-01T00:00:00Z",
      text: "hi",
    });
    const { code, out, notes } = await earshot(["import", "-", "--platform", "mastodon"], {}, line);
    expect(code).toBe(0);
    expect(out).toContain("1 imported");
    expect(out + notes).not.toContain("\u001b");
  });

  test("an import of standard input that is stopped says so and what to do", async () => {
    const dataDir = join(folder, "stopped");
    const run = start(["import", "-", "--platform", "mastodon"], { EARSHOT_DATA_DIR: dataDir });
    const line = JSON.stringify({
      author: "c_demo",
      created_at: "2020-01-01T00:00:00Z",
      text: "one",
    });
    run.child.stdin?.write(`${line}\n`);
    await expect.poll(() => existsSync(join(dataDir, "archive")), { timeout: 10_000 }).toBe(true);
    run.child.kill("SIGINT");
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.notes()).toMatch(
      /^earshot: stopped by SIGINT before the end – the standard input .* send it again/,
    );
  });

  test("is silent when the reader of its output leaves", async () => {
    const run = start(["search", "hi", "--json"]);
    run.child.stdout?.destroy();
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(run.notes()).toBe("");
  });
});

describe("serve", () => {
  test("says where it listens, answers, lets tools work beside it, and stops in order", async () => {
    const run = start(["serve"]);
    const url = await printed(run, /listening on (http:\S+)/);
    await printed(run, /earshot keys create/);
    const token = await printed(run, /\/dashboard\/sign-in#token=([\w-]{43})/);
    await printed(run, /ingest: off/);
    const signedIn = await fetch(`${url}/dashboard/api/sign-in`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    expect(signedIn.status).toBe(200);
    expect(run.notes()).not.toContain(token);

    const made = await earshot(["keys", "create", "--name", "beside"]);
    const key = made.out.trim().split("\n").at(-1);
    const file = join(folder, "beside.ndjson");
    const post = {
      author: "b_demo",
      created_at: new Date().toISOString(),
      text: "a post beside it",
    };
    writeFileSync(file, JSON.stringify(post));
    expect(await earshot(["import", file, "--platform", "bluesky"])).toMatchObject({ code: 0 });
    expect((await earshot(["search", "beside"])).out).toContain("a post beside it");

    const path = "/v1/search/live/social";
    const authorization = `Bearer ${key}`;
    const submitted = await fetch(url + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        type: "social",
        arguments: { type: "searchbyquery", query: "beside", max_results: 5 },
      }),
    });
    expect(submitted.status).toBe(202);
    const { uuid } = JSON.parse(await submitted.text());
    const result = await fetch(`${url}${path}/result/${uuid}?wait=10`, {
      headers: { authorization },
    });
    expect(await result.json()).toMatchObject([{ Content: "a post beside it" }]);

    const second = await earshot(["serve"]);
    expect(second).toMatchObject({ code: 1, out: "" });
    expect(second.notes).toMatch(/^earshot: another server \(process \d+ on \S+\) runs on .* – /);

    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.out()).toContain("stopping");
  });
});

describe("demo", () => {
  const leftBehind = () => readdirSync(folder).filter((name) => name.startsWith("earshot-demo-"));

  test("shows the main job whole and leaves nothing behind", async () => {
    const { code, out, notes } = await earshot(["demo"]);
    expect(notes).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/HTTP\/1.1 202 Accepted/);
    expect(out).toMatch(/"uuid": "[0-9a-f-]{36}", "error": ""/);
    for (const field of ["ID", "Content", "Metadata", "Score", "public_metrics", "coverage"]) {
      expect(out).toContain(`"${field}": `);
    }
    expect(out).toMatch(/HTTP\/1.1 400 Bad Request/);
    expect(out).toContain('"offset": 13');
    expect(leftBehind()).toEqual([]);
  });

  test("--keep leaves it running until it is stopped; then nothing is left either", async () => {
    const run = start(["demo", "--keep"]);
    const key = await printed(run, /^KEY=(ear_\w+)$/m);
    const url = await printed(run, /It keeps running on (http:\S+)/);
    expect(leftBehind()).toHaveLength(1);
    const response = await fetch(`${url}/v1/search/live/social/status/${crypto.randomUUID()}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(404);
    run.child.kill("SIGINT");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(leftBehind()).toEqual([]);
  });

  test("leaves nothing behind when it cannot start", async () => {
    const blocker = start(["demo", "--keep"]);
    const port = await printed(blocker, /It keeps running on http:\S+:(\d+)/);
    const { code, notes } = await earshot(["demo", "--keep"], { EARSHOT_PORT: port });
    expect(code).toBe(1);
    expect(notes).toMatch(/^earshot: .*EADDRINUSE.* – .*EARSHOT_PORT/);
    expect(leftBehind()).toHaveLength(1);
    blocker.child.kill("SIGTERM");
    await blocker.ended;
    expect(leftBehind()).toEqual([]);
  });
});
