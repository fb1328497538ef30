import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../testkit/postgres/server.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { search } from "../../testkit/service/service-under-test.ts";
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

async function start(index: number): Promise<void> {
  gateways[index] = await startServer(join(folder, String(index)), ports[index] ?? 0, settings);
}

async function kill(index: number): Promise<void> {
  const child = gateways[index]?.child;
  const ended = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await ended;
}

/** At any gateway, until one answers. */
async function request(
  turn: number,
  path: string,
  init: RequestInit,
): Promise<{ status: number; body: { uuid?: string; status?: string } }> {
  for (let attempt = turn; ; attempt += 1) {
    const base = `http://127.0.0.1:${ports[attempt % ports.length]}`;
    const answer = await fetch(base + path, { ...init, signal: AbortSignal.timeout(15_000) }).catch(
      () => null,
    );
    const body = await answer?.json().catch(() => null);
    if (answer !== null && answer.status !== 503 && body !== null && body !== undefined) {
      return { status: answer.status, body: body as { uuid?: string; status?: string } };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function client(number: number, key: string): Promise<string[]> {
  const uuids: string[] = [];
  for (let job = 0; job < jobsEach; job += 1) {
    const { status, body } = await request(number + job, "/v1/search/live/social", {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(search(`comet ${number} ${job}`)),
    });
    expect(status).toBe(202);
    uuids.push(body.uuid ?? "");
    accepted += 1;
  }
  return uuids;
}

async function endOf(uuid: string, turn: number, key: string): Promise<string> {
  const path = `/v1/search/live/social/status/${uuid}?wait=10`;
  for (let asked = turn; ; asked += 1) {
    const { body } = await request(asked, path, { headers: { authorization: `Bearer ${key}` } });
    if (["done", "error", "cancelled"].includes(body.status ?? "")) return body.status ?? "";
  }
}

test("no accepted job is lost or doubled while each gateway, and the database, are killed in turn", async () => {
  const key = gateways[0]?.key ?? "";
  const working = Promise.all(Array.from({ length: clients }, (_, number) => client(number, key)));
  for (const index of [0, 1]) {
    const before = accepted;
    await until("jobs to be accepted", () => (accepted > before + clients ? true : null));
    await kill(index);
    await start(index);
  }
  await database.stop("SIGQUIT");
  await database.start();
  const uuids = (await working).flat();
  expect(new Set(uuids).size).toBe(clients * jobsEach);
  const ends = await Promise.all(uuids.map((uuid, turn) => endOf(uuid, turn, key)));
  expect(new Set(ends)).toEqual(new Set(["done"]));
  const listed = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await request(0, `/v1/search/live/social/jobs?limit=100${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { jobs, next_cursor: next } = page.body as unknown as {
      jobs: { uuid: string }[];
      next_cursor: string | null;
    };
    for (const { uuid } of jobs) listed.add(uuid);
    cursor = next;
  }
  expect(listed).toEqual(new Set(uuids));
}, 180_000);
