import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { makeEnvironment, program } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-older-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes the program restart with the npm-installed Node. */
const older = `data:text/javascript,Object.defineProperty(process,"version",{value:"v20.0.0"})`;

function start(args: readonly string[], settings: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["--import", older, program, ...args], {
    env: makeEnvironment(folder, settings),
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function serve(): Promise<{ child: ChildProcess; isServing: () => Promise<boolean> }> {
  const port = await freePort();
  const child = start(["serve"], { EARSHOT_PORT: String(port) });
  const isServing = async (): Promise<boolean> => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return response?.status === 200;
  };
  await until("the server to be ready", async () => ((await isServing()) ? true : null));
  return { child, isServing };
}

test("a command on an older Node.js finishes with its output and exit code", async () => {
  const child = start(["--version"]);
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  const [code] = await once(child, "close");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test.each(["SIGKILL", "SIGTERM"] as const)(
  "a server started on an older Node.js stops with %s, and another can start on its folder",
  async (signal) => {
    const first = await serve();
    first.child.kill(signal);
    await once(first.child, "exit");
    await until("the first server to stop", async () => ((await first.isServing()) ? null : true));
    const second = await until("another server on the same folder", async () => {
      try {
        return await serve();
      } catch {
        return null;
      }
    });
    second.child.kill("SIGKILL");
    await until("the second server to stop", async () =>
      (await second.isServing()) ? null : true,
    );
  },
  60_000,
);
