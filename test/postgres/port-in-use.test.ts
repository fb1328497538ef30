import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import { makeEnvironment, program } from "../../testkit/service/server-process.ts";

test("a gateway whose port is in use exits with an error", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-port-"));
  const server = createServer();
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const env = makeEnvironment(folder, {
    ...(await databaseSettings()),
    EARSHOT_PORT: String(port),
  });
  const { status, stderr } = spawnSync(process.execPath, [program, "serve"], {
    env,
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  expect(stderr).toMatch(/^earshot: .*in use/m);
  expect(status).toBe(1);
});
