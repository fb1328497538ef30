import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestProgram, waitForOutput } from "../../testkit/service/program.ts";

const { folder, start, earshot } = createTestProgram();

describe("the process", () => {
  test("the process exits with the code of the command", async () => {
    expect(await earshot(["explain", "cats"])).toMatchObject({ code: 0, notes: "" });
    expect(await earshot(["search", "cats"])).toMatchObject({ code: 1, out: "" });
    expect(await earshot(["explian"])).toMatchObject({ code: 2, out: "" });
  });

  test("the process prints no progress bar and no colour into a pipe", async () => {
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

  test("the process reports an interrupted import of standard input, and how to continue", async () => {
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
    expect(run.notes()).toMatch(/^earshot: interrupted by SIGINT – send the input again/);
  });

  test("the process is silent when the reader of its output closes the pipe", async () => {
    const run = start(["search", "hi", "--ndjson"]);
    run.child.stdout?.destroy();
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(run.notes()).toBe("");
  });
});

describe("the process on a terminal", () => {
  test("terminal output that is longer than the screen goes to the pager, unless the command has --no-pager", () => {
    expect(onTerminal("rows 5 cols 60", "help")).toMatch(/^PAGED/);
    for (const args of ["--no-pager help", "help --no-pager"])
      expect(onTerminal("rows 5 cols 60", args)).toMatch(/^Usage: earshot/);
  });

  test("a terminal that does not know its size has 80 columns and no pager", () => {
    const lines = onTerminal("rows 0 cols 0", "help").split("\r\n");
    expect(lines[0]).toMatch(/^Usage: earshot/);
    const lengths = lines.filter((line) => line.startsWith("  ")).map(({ length }) => length);
    expect(Math.max(...lengths)).toBeGreaterThan(60);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(80);
  });
});

/** The output on a terminal, which `script` (util-linux) emulates. */
function onTerminal(size: string, args: string): string {
  const command = `stty ${size}; '${process.execPath}' bin/earshot.mjs ${args}`;
  return execFileSync("script", ["-qec", command, "/dev/null"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm", PAGER: "echo PAGED" },
  });
}

describe("serve", () => {
  test.each([
    ["with ingest off", { EARSHOT_INGEST: "off" }, "the archive is empty"],
    [
      "offline",
      { EARSHOT_INGEST: "bluesky", EARSHOT_JETSTREAM_URLS: "ws://127.0.0.1:1/subscribe" },
      "the stream is unreachable, and the archive is empty",
    ],
  ])("serve on an empty archive, %s, prints the next step", async (name, settings, message) => {
    const run = start(["serve"], {
      EARSHOT_DATA_DIR: join(folder, `empty ${name}`),
      EARSHOT_LABELER_URLS: "none",
      EARSHOT_LOOKUP: "off",
      ...settings,
    });
    await waitForOutput(run, new RegExp(message));
    await waitForOutput(run, /earshot demo --keep .*\n.*earshot import FILE --platform x/);
    if (settings.EARSHOT_INGEST !== "off") await waitForOutput(run, /EARSHOT_INGEST=off/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 0, signal: null });
  });

  test("serve prints its address, answers requests, allows other commands to run, and stops cleanly", async () => {
    const run = start(["serve"]);
    const url = await waitForOutput(run, /listening on (http:\S+)/);
    await waitForOutput(run, /earshot keys create/);
    const token = await waitForOutput(run, /\/dashboard\/sign-in#token=([\w-]{43})/);
    await waitForOutput(run, /ingest: off/);
    const signedIn = await fetch(`${url}/dashboard/api/sign-in`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    expect(signedIn.status).toBe(200);
    expect(run.notes()).not.toContain(token);

    const created = await earshot(["keys", "create", "--name", "concurrent"]);
    const key = created.out.trim().split("\n").at(-1);
    const file = join(folder, "concurrent.ndjson");
    const post = {
      author: "b_demo",
      created_at: new Date().toISOString(),
      text: "a concurrent post",
    };
    writeFileSync(file, JSON.stringify(post));
    expect(await earshot(["import", file, "--platform", "bluesky"])).toMatchObject({ code: 0 });
    expect((await earshot(["search", "concurrent"])).out).toContain("a concurrent post");

    const path = "/v1/search/live/social";
    const authorization = `Bearer ${key}`;
    const submitted = await fetch(url + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        type: "social",
        arguments: { type: "searchbyquery", query: "concurrent", max_results: 5 },
      }),
    });
    expect(submitted.status).toBe(202);
    const { uuid } = JSON.parse(await submitted.text());
    const result = await fetch(`${url}${path}/result/${uuid}?wait=10`, {
      headers: { authorization },
    });
    expect(await result.json()).toMatchObject([{ Content: "a concurrent post" }]);

    const second = await earshot(["serve"]);
    expect(second).toMatchObject({ code: 1, out: "" });
    expect(second.notes).toMatch(/^earshot: another server \(process \d+ on \S+\) is using .* – /);

    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.out()).toContain("stopping");
  });
});
