import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allow } from "../../testkit/mcp/authorize.ts";
import { type ClientMetadataHost, startClientMetadataHost } from "../../testkit/mcp/oauth-app.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const program = join(import.meta.dirname, "node_modules/.bin/conformance");

let app: ClientMetadataHost;
let service: ServiceUnderTest;

beforeAll(async () => {
  app = await startClientMetadataHost();
  service = await startServiceUnderTest({ EARSHOT_APP_PRIVATE_HOSTS: app.origin });
});
afterAll(async () => {
  await service.remove();
  await app.stop();
});

test("the official suite accepts the authorization server, its metadata and a code grant", async () => {
  const session = await service.signIn();
  const headers = { host: new URL(service.url).host, origin: service.url };
  const inBrowser: ServiceUnderTest = {
    ...service,
    callAs: (as, options) =>
      service.callAs(as, { ...options, headers: { ...options.headers, ...headers } }),
  };
  const args = ["authorization", "--url", service.url, "--client-id", app.clientId];
  const suite = spawn(process.execPath, [
    program,
    ...args,
    ...["--resource", `${service.url}/mcp`, "--port", String(await freePort())],
  ]);
  const lines: string[] = [];
  for await (const line of createInterface(suite.stdout)) {
    lines.push(line);
    // The suite waits for a user to open this URL in a browser.
    if (!line.startsWith(`${service.url}/dashboard/connect?`)) continue;
    await fetch(await allow(inBrowser, session, line.slice(line.indexOf("?") + 1)));
  }
  const output = lines.join("\n");
  expect(output).toMatch(/authorization-server-metadata-endpoint: [1-9]\d* passed, 0 failed/);
  expect(output).toMatch(/authorization-code-grant: [1-9]\d* passed, 0 failed/);
});
