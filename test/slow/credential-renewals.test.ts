import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import { runCommand } from "../../testkit/service/run-command.ts";

/** The platform revokes a session when its refresh token is reused. */

const program = join(import.meta.dirname, "../../bin/earshot.mjs");
const redirectUri = "http://127.0.0.1/back";

let emulator: XEmulator;
let dataDir: string;
let environment: Record<string, string>;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-renewals-"));
  emulator = await startXEmulator({
    clients: [{ id: "client-1", secret: null, redirectUri }],
    world: { users: [{ id: "1", username: "ann", name: "Ann" }] },
  });
  environment = { EARSHOT_DATA_DIR: dataDir, EARSHOT_X_API_URL: emulator.url };
});

afterAll(async () => {
  await emulator.close();
  rmSync(dataDir, { recursive: true });
});

async function testAll(): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [program, "credentials", "test"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], out, notes] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: out + notes };
}

test("five concurrent commands, run three times, never use a refresh token twice", async () => {
  const args = ["credentials", "add", "x", "user-token"];
  const options = ["--client-id", "client-1", "--redirect-uri", redirectUri];
  const added = await runCommand([...args, ...options], environment, (shown) => ({
    interactive: true,
    ask: async () => {
      const address = /^http\S+$/m.exec(shown())?.[0] ?? "";
      const response = await fetch(address, { redirect: "manual" });
      return response.headers.get("location") ?? "";
    },
    askSecret: async () => "",
    readAll: async () => "",
  }));
  expect(added).toMatchObject({ code: 0 });
  for (let round = 0; round < 3; round += 1) {
    const ends = await Promise.all(Array.from({ length: 5 }, testAll));
    for (const { code, output } of ends) expect({ code, output }).toMatchObject({ code: 0 });
  }
  const renewals = emulator.requests.filter(({ path }) => path === "/2/oauth2/token").length - 1;
  expect(renewals).toBeGreaterThanOrEqual(3);
});
