import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { type ServerProcess, startServer } from "../../testkit/service/server-process.ts";
import { search } from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-signals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async (name: string, settings: Record<string, string> = {}) =>
  await startServer(join(folder, name), await freePort(), settings);

const makeHeaders = (server: ServerProcess) => ({
  authorization: `Bearer ${server.key}`,
  "content-type": "application/json",
});

async function submit(server: ServerProcess, query: string): Promise<string> {
  const response = await fetch(`${server.base}/v1/search/live/social`, {
    method: "POST",
    headers: makeHeaders(server),
    body: JSON.stringify(search(query)),
  });
  expect(response.status).toBe(202);
  const { uuid }: { uuid: string } = JSON.parse(await response.text());
  return uuid;
}

const getResult = (server: ServerProcess, uuid: string, key = server.key) =>
  fetch(`${server.base}/v1/search/live/social/result/${uuid}?wait=30`, {
    headers: { authorization: `Bearer ${key}` },
  });

async function waitingRequests(server: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${server.base}/metrics`)).text();
  return Number(/^earshot_waiting_requests (\d+)$/m.exec(metrics)?.[1]);
}

test("a SIGTERM makes the server answer waiting requests, end streams and exit with code 0 within 5 s", async () => {
  const server = await start("term", { EARSHOT_NODE_CONCURRENCY: "0" });
  const uuids = await Promise.all(["a", "b", "c"].map((word) => submit(server, `word${word}`)));
  const waiting = uuids.map((uuid) => getResult(server, uuid));
  const stream = await fetch(`${server.base}/v1/search/live/social/events`, {
    headers: makeHeaders(server),
  });
  expect(stream.status).toBe(200);
  const streamed = stream.text();
  await until("all requests are waiting", async () =>
    (await waitingRequests(server)) >= 3 ? true : null,
  );

  const sentMs = performance.now();
  const exit = once(server.child, "exit");
  server.child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  expect(performance.now() - sentMs).toBeLessThan(5_000);
  for (const response of await Promise.all(waiting)) {
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ status: "received", error: "" });
  }
  await streamed;

  const next = await start("term");
  for (const uuid of uuids) {
    const result = await getResult(next, uuid, server.key);
    expect(result.status).toBe(200);
  }
  await next.stop();
});

test("a server that cannot store a sign-in link at its start reports that and continues", async () => {
  await (await start("full")).stop();
  const control = new DatabaseSync(join(folder, "full", "control.db"));
  control.exec(
    "CREATE TRIGGER full BEFORE INSERT ON sign_in_link BEGIN SELECT RAISE(FAIL, 'full'); END",
  );
  control.close();
  const server = await start("full");
  await until("it reports that", () =>
    server.lastLines().includes("no sign-in link: ") ? true : null,
  );
  const uuid = await submit(server, "comet");
  expect((await getResult(server, uuid)).status).toBe(200);
  await server.stop();
});

function lockControl(name: string): DatabaseSync {
  const database = new DatabaseSync(join(folder, name, "control.db"), { timeout: 5_000 });
  database.exec("BEGIN IMMEDIATE");
  return database;
}

test("stopping takes less than 5 s even if a thread never ends, and no job is lost", async () => {
  const server = await start("stuck", { EARSHOT_NODE_CONCURRENCY: "0" });
  const uuid = await submit(server, "word");
  const lock = lockControl("stuck");
  const sentMs = performance.now();
  const exit = once(server.child, "exit");
  server.child.kill("SIGTERM");
  expect(await exit).toEqual([null, "SIGTERM"]);
  expect(performance.now() - sentMs).toBeLessThan(5_000);
  lock.close();
  const next = await start("stuck");
  expect((await getResult(next, uuid, server.key)).status).toBe(200);
  await next.stop();
});

test("a second SIGTERM ends the server immediately by that signal, and no job is lost", async () => {
  const server = await start("twice", { EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_STOP_GRACE: "1h" });
  const uuid = await submit(server, "word");
  const lock = lockControl("twice");
  const exit = once(server.child, "exit");
  server.child.kill("SIGTERM");
  await until("the stop has begun", async () => {
    const response = await fetch(`${server.base}/livez`).catch(() => null);
    return response?.status === 200 ? null : true;
  });
  expect(server.child.exitCode).toBeNull();
  const secondMs = performance.now();
  server.child.kill("SIGTERM");
  expect(await exit).toEqual([null, "SIGTERM"]);
  expect(performance.now() - secondMs).toBeLessThan(1_000);
  lock.close();
  const next = await start("twice");
  expect((await getResult(next, uuid, server.key)).status).toBe(200);
  await next.stop();
});

test("a process suspended for longer than its leases continues, and no job is lost", async () => {
  const server = await start("suspended", { EARSHOT_LEASE: "1s" });
  const accepted: string[] = [];
  const submitting = (async () => {
    for (let n = 0; n < 300; n++) accepted.push(await submit(server, `word${n}`));
  })();
  await until("some jobs are accepted", () => (accepted.length > 50 ? true : null));
  server.child.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  server.child.kill("SIGCONT");
  await submitting;
  expect(new Set(accepted).size).toBe(300);
  for (const uuid of accepted) {
    const result = await getResult(server, uuid);
    expect(result.status).toBe(200);
    expect(await result.text()).toBe("[]");
  }
  const exit = once(server.child, "exit");
  await server.stop();
  expect(await exit).toEqual([0, null]);
});
