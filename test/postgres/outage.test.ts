import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../testkit/postgres/server.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

let server: PostgresServer;
let service: ServiceUnderTest;
let key: string;

beforeAll(async () => {
  server = await startPostgres();
  service = await startServiceUnderTest({
    EARSHOT_DATABASE_URL: await server.createDatabase(),
    EARSHOT_DATABASE_TIMEOUT: "1s",
    EARSHOT_LEASE: "5s",
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  });
  key = await service.makeKey();
});
afterAll(async () => {
  await service?.remove();
  await server?.remove();
});

const submitted = async () => (await service.submit(key, search("comet"))).statusCode;

async function isRefusedSoon(): Promise<void> {
  const startedMs = performance.now();
  const response = await service.submit(key, search("comet"));
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ code: "unavailable", retryable: true });
  expect(response.headers["retry-after"]).toMatch(/^\d+$/);
  expect(performance.now() - startedMs).toBeLessThan(4_000);
}

const servesAgain = () =>
  until("the service to serve again", async () => ((await submitted()) === 202 ? true : null));

test.each(["SIGINT", "SIGQUIT"] as const)(
  "requests are rejected quickly while the database is stopped by %s, and accepted jobs survive",
  async (signal) => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    await server.stop(signal);
    await isRefusedSoon();
    await server.start();
    await servesAgain();
    expect((await service.result(key, uuid)).statusCode).toBe(200);
  },
);

test("requests are rejected after the time limit if the database hangs", async () => {
  expect(await submitted()).toBe(202);
  server.signalAll("SIGSTOP");
  try {
    await isRefusedSoon();
    await isRefusedSoon();
  } finally {
    server.signalAll("SIGCONT");
  }
  await servesAgain();
});

test("database connections that the PostgreSQL server closes are replaced", async () => {
  await server.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'earshot'",
  );
  await servesAgain();
  expect(await submitted()).toBe(202);
});
