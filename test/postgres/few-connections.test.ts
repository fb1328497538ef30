import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../testkit/postgres/server.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

/** More than the server's `max_connections`. */
const wanted = 40;

let server: PostgresServer;
let shared: Record<string, string>;
const services: ServiceUnderTest[] = [];

beforeAll(async () => {
  server = await startPostgres(["max_connections=12", "max_wal_senders=0"]);
  shared = {
    EARSHOT_DATABASE_URL: await server.createDatabase(),
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
});
afterAll(async () => {
  for (const service of services) await service.remove();
  await server?.remove();
});

async function startWith(connections: number): Promise<ServiceUnderTest> {
  const service = await startServiceUnderTest({
    ...shared,
    EARSHOT_DATABASE_CONNECTIONS: String(connections),
  });
  services.push(service);
  return service;
}

const submissions = (service: ServiceUnderTest, key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => service.submit(key, search("comet"))));

test("two connections serve two hundred concurrent requests", async () => {
  const service = await startWith(2);
  const key = await service.makeKey();
  const responses = await submissions(service, key, 200);
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  expect(new Set(responses.map((response) => response.json().uuid)).size).toBe(200);
});

test("a PostgreSQL server without free connections causes only retryable errors, and most requests succeed", async () => {
  const service = await startWith(wanted);
  const key = await service.makeKey();
  const accepted: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const response of await submissions(service, key, 60)) {
      if (response.statusCode === 202) accepted.push(response.json().uuid);
      else expect(response.json()).toMatchObject({ code: "unavailable", retryable: true });
    }
  }
  expect(accepted.length).toBeGreaterThan(150);
  expect(new Set(accepted).size).toBe(accepted.length);
  for (const uuid of accepted.slice(0, 20)) {
    expect((await service.result(key, uuid)).statusCode).toBe(200);
  }
});
