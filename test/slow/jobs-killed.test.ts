import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import { startServer } from "../../testkit/service/server-process.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test.each(["on", "off"])(
  "every accepted job finishes despite five kills of the server, fast path %s",
  async (fastPath) => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-slow-jobs-"));
    folders.push(folder);
    const settings = { EARSHOT_FAST_PATH: fastPath };
    const accepted: string[] = [];
    let key = "";
    for (let round = 0; round < 5; round++) {
      const server = await startServer(folder, await freePort(), settings);
      key ||= server.key;
      const target = accepted.length + 150 + 70 * round;
      const submitting = Array.from({ length: 8 }, async () => {
        const client = connect(server.base, key);
        try {
          for (;;) {
            accepted.push(await client.submit(`word${accepted.length} -other`, 20));
            if (accepted.length >= target) server.child.kill("SIGKILL");
          }
        } catch {
          client.close();
        }
      });
      await Promise.all(submitting);
      expect(accepted.length).toBeGreaterThanOrEqual(target);
    }
    expect(new Set(accepted).size).toBe(accepted.length);

    const server = await startServer(folder, await freePort(), settings);
    const client = connect(server.base, key);
    for (const uuid of accepted) expect(await client.result(uuid)).toBe("[]");
    client.close();
    await server.stop();
  },
);
