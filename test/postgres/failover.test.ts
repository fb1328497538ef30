import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, startPostgres, startStandby } from "../../testkit/postgres/server.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

let primary: PostgresServer;
let standby: Awaited<ReturnType<typeof startStandby>>;
let service: ServiceUnderTest;

beforeAll(async () => {
  const [port, otherPort] = [await freePort(), await freePort()];
  primary = await startPostgres([], port);
  const url = await primary.createDatabase();
  standby = await startStandby(primary, port, otherPort);
  // The standby accepts no writes yet.
  service = await startServiceUnderTest({
    EARSHOT_DATABASE_URL: url.replace(`:${port}/`, `:${otherPort},127.0.0.1:${port}/`),
    EARSHOT_DATABASE_TIMEOUT: "2s",
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  });
}, 60_000);
afterAll(async () => {
  await service?.remove();
  await standby?.remove();
  await primary?.remove();
});

test("after a failover, the promoted standby has every accepted job", async () => {
  const key = await service.makeKey();
  const submit = async () => await service.submit(key, search("comet"));
  const uuids: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) uuids.push((await submit()).json().uuid);
  await primary.stop("SIGQUIT");
  const refused = await submit();
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ code: "unavailable", retryable: true });

  await standby.promote();
  await until("the standby to be used", async () =>
    (await submit()).statusCode === 202 ? true : null,
  );
  for (const uuid of uuids) expect((await service.result(key, uuid)).statusCode).toBe(200);
});
