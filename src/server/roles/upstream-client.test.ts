import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { until } from "../../../testkit/until.ts";
import { configFrom } from "../config.ts";
import { openUpstreamClient } from "./upstream-client.ts";

test("as many concurrent requests to one host are allowed as jobs can run", async () => {
  const openResponses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    openResponses.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = openUpstreamClient(
    configFrom({
      EARSHOT_NODE_CONCURRENCY: "10",
      EARSHOT_NODE_FETCH_CONCURRENCY: "90",
      EARSHOT_UPSTREAM_PRIVATE_HOSTS: url,
    }),
  );
  const statuses = Array.from({ length: 100 }, async () => (await client.fetch(url)).status);
  await until("all are under way", () => (openResponses.length === 100 ? true : null));
  for (const response of openResponses) response.end("{}");
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  await client.close();
  server.close();
});
