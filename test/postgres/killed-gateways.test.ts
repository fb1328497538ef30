import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPatientClient, type PatientClient } from "../../testkit/gateways/patient-client.ts";
import { type PostgresServer, startPostgres } from "../../testkit/postgres/server.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-gateways-"));
const clients = 8;
const jobsEach = 60;

let database: PostgresServer;
let settings: Record<string, string>;
let ports: readonly number[];
let accepted = 0;
const gateways: (ServerProcess | null)[] = [null, null];

beforeAll(async () => {
  database = await startPostgres();
  settings = {
    EARSHOT_DATABASE_URL: await database.createDatabase(),
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    EARSHOT_DETECT_LANGUAGE: "off",
    EARSHOT_READERS: "1",
  };
  ports = [await freePort(), await freePort()];
  await Promise.all(gateways.map((_, index) => start(index)));
});
afterAll(async () => {
  for (const gateway of gateways) gateway?.child.kill("SIGKILL");
  await database?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const bases = (): string[] => ports.map((port) => `http://127.0.0.1:${port}`);

async function start(index: number): Promise<void> {
  gateways[index] = await startServer(join(folder, String(index)), ports[index] ?? 0, settings);
}

async function kill(index: number): Promise<void> {
  const child = gateways[index]?.child;
  const ended = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await ended;
}

async function work(client: PatientClient, number: number): Promise<void> {
  for (let job = 0; job < jobsEach; job += 1) {
    await client.submit(`comet ${number} ${job}`);
    accepted += 1;
  }
}

async function jobsPage(
  key: string,
  cursor: string,
): Promise<{ uuids: string[]; next: string | null }> {
  const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const response = await fetch(`${bases()[0]}/v1/search/live/social/jobs?limit=100${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = (await response.json()) as { jobs: { uuid: string }[]; next_cursor: string | null };
  return { uuids: body.jobs.map(({ uuid }) => uuid), next: body.next_cursor };
}

test("no accepted job is lost or duplicated while each gateway and the database are killed in turn", async () => {
  const key = gateways[0]?.key ?? "";
  const own = Array.from({ length: clients }, (_, number) =>
    createPatientClient(bases(), key, number),
  );
  const working = Promise.all(own.map(work));
  for (const index of [0, 1]) {
    const before = accepted;
    await until("jobs to be accepted", () => (accepted > before + clients ? true : null));
    await kill(index);
    await start(index);
  }
  await database.stop("SIGQUIT");
  await database.start();
  await working;
  const uuids = own.flatMap((client) => client.uuids);
  expect(new Set(uuids).size).toBe(clients * jobsEach);
  const ends = await Promise.all(
    own.flatMap((client) =>
      client.uuids.map(async (uuid) => (await client.waitForEnd(uuid)).state),
    ),
  );
  expect(new Set(ends)).toEqual(new Set(["done"]));
  expect(own.flatMap(({ unexpectedResponses }) => unexpectedResponses)).toEqual([]);
  const found = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { uuids: page, next }: Awaited<ReturnType<typeof jobsPage>> = await jobsPage(key, cursor);
    for (const uuid of page) found.add(uuid);
    cursor = next;
  }
  expect(found).toEqual(new Set(uuids));
}, 180_000);
