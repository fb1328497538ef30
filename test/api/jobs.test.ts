import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cancelledJob as cancelledSchema, jobList } from "../../src/http/schemas/jobs.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import { startCpuTime } from "../../testkit/cpu-time.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
/** A service without a node. */
let idle: ServiceUnderTest;
let key: string;
let idleKey: string;
const base = "/v1/search/live/social";

beforeAll(async () => {
  [service, idle] = await Promise.all([
    startServiceUnderTest({ EARSHOT_RESULT_RETENTION: "1h" }),
    startServiceUnderTest({ EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_MAX_WAITING_REQUESTS: "2" }),
  ]);
  [key, idleKey] = await Promise.all([service.makeKey(), idle.makeKey()]);
  const createdMs = service.clock.now() - 60_000;
  const createdAt = new Date(createdMs).toISOString();
  await service.addPosts([
    makePost({ key: "one", text: "comet", createdMs, createdAt, langs: ["en"] }),
  ]);
});
afterAll(async () => {
  await Promise.all([service.remove(), idle.remove()]);
});

async function getUuid(target: ServiceUnderTest, apiKey: string, query = "comet"): Promise<string> {
  return (await target.submit(apiKey, search(query))).json().uuid;
}

async function doneJob(apiKey = key): Promise<string> {
  const uuid = await getUuid(service, apiKey);
  expect((await service.result(apiKey, uuid)).statusCode).toBe(200);
  return uuid;
}

async function getLease(uuid: string) {
  const node = { nodeId: "test", methods: ["searchbyquery"] };
  for (;;) {
    const lease = await idle.context.queue.lease(node, 1_000);
    if (lease === null) throw new Error(`job ${uuid} is not waiting`);
    if (lease.uuid === uuid) return lease;
    await idle.context.queue.fail(lease.uuid, lease.token, failure);
  }
}

const failure = { code: "internal", message: "internal error", status: 500, retryable: false };

const emptyResult = {
  items: [],
  next: null,
  complete: true,
  coverage: { fromMs: null, toMs: 0, complete: true, gaps: [], truncated: false, platforms: [] },
  sources: [],
  warnings: [],
};

describe("the examples of docs/api.md", () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

  /** The commands of a section, each with its response. */
  function listExamples(heading: string) {
    const [, section = ""] = page.split(new RegExp(`^#+ ${heading}\n`, "m"));
    const [text = ""] = section.split(/^#/m);
    return [...text.matchAll(/```sh\n(curl [\s\S]*?)\n```\n\n```(?:json)?\n([\s\S]*?)\n```/g)].map(
      ([, command = "", answer = ""]) => ({ command, answer }),
    );
  }

  const masked = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]*Z/g, "time")
      .replaceAll(/"[\w-]{30}"/g, '"cursor"');

  function run(target: ServiceUnderTest, apiKey: string, command: string, uuid = "") {
    const [, path = ""] = /http:\/\/127\.0\.0\.1:8080([^\s"]*)/.exec(command) ?? [];
    const [, payload] = /-d '([^']*)'/.exec(command) ?? [];
    const named = [...command.matchAll(/-H '([\w-]+): ([^']*)'/g)];
    return target.call(apiKey, {
      method: payload === undefined ? (command.includes("-X DELETE") ? "DELETE" : "GET") : "POST",
      url: path.replace("$UUID", uuid),
      headers: Object.fromEntries(named.map(([, name = "", value = ""]) => [name, value])),
      ...(payload === undefined ? {} : { payload }),
    });
  }

  test("the examples of docs/api.md show a submission that waits, and its repetition", async () => {
    const [example, ...more] = listExamples("Wait for the end, and retry safely");
    expect(more).toEqual([]);
    const { command = "", answer = "" } = example ?? {};
    await run(service, key, command);
    const actual = await run(service, key, command);
    const [head = "", body = ""] = answer.split("\n\n");
    const [status, ...fields] = head.split("\n");
    expect(status).toBe(`HTTP/1.1 ${actual.statusCode} ${actual.statusMessage}`);
    expect(masked(actual.body)).toBe(masked(body));
    for (const field of fields) {
      const [name = "", value = ""] = field.split(": ");
      expect(masked(String(actual.headers[name])), name).toBe(masked(value));
    }
  });

  test("the examples of docs/api.md show a cancelled job", async () => {
    const [{ command = "", answer = "" } = {}] = listExamples("Cancel or delete a job");
    const actual = await run(idle, idleKey, command, await getUuid(idle, idleKey));
    expect(JSON.parse(masked(actual.body))).toEqual(JSON.parse(masked(answer)));
  });

  test("the examples of docs/api.md show the list of jobs", async () => {
    const [{ command = "", answer = "" } = {}] = listExamples("List jobs");
    const apiKey = await service.makeKey();
    for (const query of ["comet", "comet lang:en"]) {
      await service.result(apiKey, await getUuid(service, apiKey, query));
    }
    const actual = await run(service, apiKey, command);
    const body = actual.body.replace(/"key":"\w{8}"/, '"key":"EXAMPLE0"');
    expect(JSON.parse(masked(body))).toEqual(JSON.parse(masked(answer)));
  });
});

describe("cancel", () => {
  const remove = (target: ServiceUnderTest, apiKey: string | null, url: string) =>
    target.call(apiKey, { method: "DELETE", url });

  test.each([
    `${base}/status`,
    `${base}/result`,
    "/v1/search/live/status",
    "/v1/search/live/result",
  ])(
    "the first DELETE %s/<uuid> cancels an unfinished job, and the next one deletes it",
    async (path) => {
      const uuid = await getUuid(idle, idleKey);
      const response = await remove(idle, idleKey, `${path}/${uuid}`);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ uuid, status: "cancelled", error: "" });
      expect(cancelledSchema.parse(response.json())).toEqual(response.json());
      expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(response.headers.ratelimit).toContain('"burst";r=');

      const status = await idle.call(idleKey, { method: "GET", url: `${base}/status/${uuid}` });
      expect(status.json()).toMatchObject({ status: "cancelled", error: "", count: null });
      expect(status.json().finished_at).not.toBeNull();
      const result = await idle.call(idleKey, { method: "GET", url: `${base}/result/${uuid}` });
      expect(result.statusCode).toBe(410);
      expect(result.json().code).toBe("job_cancelled");

      const again = await remove(idle, idleKey, `${path}/${uuid}`);
      expect(again.statusCode).toBe(204);
      expect(again.body).toBe("");
      expect(again.headers["content-type"]).toBeUndefined();
      const third = await remove(idle, idleKey, `${path}/${uuid}`);
      expect(third.statusCode).toBe(404);
      expect(third.json().code).toBe("job_not_found");
    },
  );

  test("a DELETE deletes a finished job with its result", async () => {
    const uuid = await doneJob();
    expect((await remove(service, key, `${base}/result/${uuid}`)).statusCode).toBe(204);
    for (const kind of ["status", "result"]) {
      const url = `${base}/${kind}/${uuid}`;
      expect((await service.call(key, { method: "GET", url })).statusCode).toBe(404);
    }
  });

  test("a DELETE accepts a uuid in capitals", async () => {
    const uuid = await getUuid(idle, idleKey);
    const response = await remove(idle, idleKey, `${base}/status/${uuid.toUpperCase()}`);
    expect(response.json().uuid).toBe(uuid);
  });

  test("a DELETE accepts a Content-Type without a body", async () => {
    const uuid = await getUuid(idle, idleKey);
    const response = await idle.call(idleKey, {
      method: "DELETE",
      url: `${base}/status/${uuid}`,
      headers: { "content-type": "application/json" },
    });
    expect(response.statusCode, response.body).toBe(200);
  });

  test("cancelling a job immediately answers requests that wait for it", async () => {
    const uuid = await getUuid(idle, idleKey);
    const pending = idle.result(idleKey, uuid);
    await idle.waitForPending(1);
    await remove(idle, idleKey, `${base}/status/${uuid}`);
    expect((await pending).statusCode).toBe(410);
  });

  test("the result that a node sends for a cancelled job is discarded", async () => {
    const uuid = await getUuid(idle, idleKey);
    const lease = await getLease(uuid);
    expect((await remove(idle, idleKey, `${base}/status/${uuid}`)).statusCode).toBe(200);
    await expect(idle.context.queue.complete(uuid, lease.token, emptyResult)).rejects.toMatchObject(
      {
        code: "lease_lost",
      },
    );
    const status = await idle.call(idleKey, { method: "GET", url: `${base}/status/${uuid}` });
    expect(status.json().status).toBe("cancelled");
  });

  test("a cancellation concurrent with completion has one outcome, which both report", async () => {
    for (let round = 0; round < 10; round++) {
      const uuid = await getUuid(idle, idleKey);
      const lease = await getLease(uuid);
      const complete = () =>
        idle.context.queue.complete(uuid, lease.token, emptyResult).then(
          () => "done",
          () => "cancelled",
        );
      const cancel = () => remove(idle, idleKey, `${base}/status/${uuid}`);
      const [ended, response] =
        round % 2 === 0
          ? await Promise.all([complete(), cancel()])
          : await Promise.all([cancel(), complete()]).then(
              ([cancelled, completed]) => [completed, cancelled] as const,
            );
      const status = await idle.call(idleKey, { method: "GET", url: `${base}/status/${uuid}` });
      if (ended === "done") {
        expect(response.statusCode).toBe(204);
        expect(status.statusCode).toBe(404);
      } else {
        expect(response.statusCode).toBe(200);
        expect(status.json().status).toBe("cancelled");
      }
    }
  });

  test("of three concurrent DELETEs, one cancels the job, one deletes it and one returns 404", async () => {
    const uuid = await getUuid(idle, idleKey);
    const url = `${base}/status/${uuid}`;
    const responses = await Promise.all([1, 2, 3].map(() => remove(idle, idleKey, url)));
    expect(responses.map((response) => response.statusCode).toSorted()).toEqual([200, 204, 404]);
  });

  test("a DELETE leaves another account's job unchanged", async () => {
    const uuid = await getUuid(idle, idleKey);
    const outsider = await idle.makeKey();
    const foreign = await remove(idle, outsider, `${base}/status/${uuid}`);
    const unknown = await remove(
      idle,
      outsider,
      `${base}/status/0f8fad5b-d9cb-469f-a165-70867728950e`,
    );
    expect(foreign.statusCode).toBe(404);
    expect({ ...foreign.json(), request_id: "" }).toEqual({ ...unknown.json(), request_id: "" });
    const status = await idle.call(idleKey, { method: "GET", url: `${base}/status/${uuid}` });
    expect(status.json().status).toBe("received");
  });
});

describe("Prefer: wait", () => {
  const submit = (target: ServiceUnderTest, apiKey: string, prefer: string, query = "comet") =>
    target.call(apiKey, {
      method: "POST",
      url: base,
      headers: { prefer },
      payload: search(query),
    });

  test("a submission with Prefer: wait is answered when the job has ended, with the same body", async () => {
    const response = await submit(service, key, "respond-async, wait=10");
    expect(response.statusCode).toBe(202);
    expect(response.headers["preference-applied"]).toBe("wait=10");
    const { uuid } = response.json();
    expect(response.json()).toEqual({ uuid, error: "" });
    const result = await service.call(key, { method: "GET", url: `${base}/result/${uuid}` });
    expect(result.statusCode).toBe(200);
  });

  test("a submission with Prefer: wait is answered after the requested time when the job does not end", async () => {
    const start = performance.now();
    const response = await submit(idle, idleKey, "wait=1");
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(response.statusCode).toBe(202);
    expect(response.headers["preference-applied"]).toBe("wait=1");
  });

  test("a submission is accepted even if waiting for its job fails", async () => {
    const storeError = new EarshotError("store_unavailable", "it is busy", { status: 503 });
    vi.spyOn(idle.context.queue, "waitForEnd").mockRejectedValueOnce(storeError);
    const response = await submit(idle, idleKey, "wait=10");
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({ uuid: expect.stringMatching(/^[\da-f-]{36}$/), error: "" });
    expect(response.headers["preference-applied"]).toBeUndefined();
  });

  test("a wait is limited to 30 seconds, as the response reports", async () => {
    const response = await submit(service, key, "wait=3600");
    expect(response.headers["preference-applied"]).toBe("wait=30");
  });

  test.each(["respond-async", "wait=0", "return=minimal; wait=10"])(
    "a submission with Prefer: %s does not wait",
    async (prefer) => {
      const response = await submit(idle, idleKey, prefer);
      expect(response.statusCode).toBe(202);
      expect(response.headers["preference-applied"]).toBeUndefined();
    },
  );

  test("an unreadable Prefer value is rejected before the job is stored", async () => {
    const response = await submit(idle, idleKey, "wait=soon");
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      code: "invalid_request",
      uuid: "",
      errors: [{ pointer: "/prefer" }],
    });
  });

  test("a wait is ignored when the key has reached its limit of waiting requests", async () => {
    const apiKey = await idle.makeKey();
    const pending = [submit(idle, apiKey, "wait=30"), submit(idle, apiKey, "wait=30")];
    await idle.waitForPending(2);
    const more = await submit(idle, apiKey, "wait=30");
    expect(more.statusCode).toBe(202);
    expect(more.headers["preference-applied"]).toBeUndefined();
    const jobs = await idle.call(apiKey, { method: "GET", url: `${base}/jobs` });
    for (const { uuid } of jobs.json().jobs) {
      await idle.call(apiKey, { method: "DELETE", url: `${base}/status/${uuid}` });
    }
    for (const response of await Promise.all(pending)) {
      expect(response.headers["preference-applied"]).toBe("wait=30");
    }
  });

  test("a wait works for status and result, and ?wait= takes precedence", async () => {
    const uuid = await doneJob();
    const waiting = await getUuid(idle, idleKey);
    for (const kind of ["status", "result"]) {
      const headers = { prefer: "wait=1" };
      const url = `${base}/${kind}/${uuid}`;
      const ended = await service.call(key, { method: "GET", url, headers });
      expect(ended.statusCode).toBe(200);
      expect(ended.headers["preference-applied"]).toBe("wait=1");
      const both = await service.call(key, { method: "GET", url: `${url}?wait=1`, headers });
      expect(both.headers["preference-applied"]).toBeUndefined();
    }
    const url = `${base}/result/${waiting}`;
    const pending = idle.call(idleKey, { method: "GET", url, headers: { prefer: "wait=30" } });
    await idle.waitForPending(1);
    await idle.call(idleKey, { method: "DELETE", url });
    expect((await pending).statusCode).toBe(410);
    expect((await pending).headers["preference-applied"]).toBe("wait=30");
    const unreadable = await idle.call(idleKey, { method: "GET", url, headers: { prefer: "=" } });
    expect(unreadable.statusCode).toBe(400);
  });
});

describe("job status", () => {
  test("a job's status sends Retry-After until the job has ended", async () => {
    const waiting = await getUuid(idle, idleKey);
    const url = `${base}/status/${waiting}`;
    const open = await idle.call(idleKey, { method: "GET", url });
    expect(open.headers["retry-after"]).toBe("1");
    await idle.call(idleKey, { method: "DELETE", url });
    const cancelled = await idle.call(idleKey, { method: "GET", url });
    expect(cancelled.headers["retry-after"]).toBeUndefined();
    const done = await doneJob();
    const ended = await service.call(key, { method: "GET", url: `${base}/status/${done}` });
    expect(ended.headers["retry-after"]).toBeUndefined();
  });

  test("a job's status returns the headers of GET without a body for HEAD", async () => {
    const uuid = await getUuid(idle, idleKey);
    const response = await idle.call(idleKey, { method: "HEAD", url: `${base}/status/${uuid}` });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("");
    expect(response.headers["retry-after"]).toBe("1");
  });

  withFileStore(
    "a job's status agrees with the result during the second in which the job expires",
    async () => {
      const apiKey = await service.makeKey();
      const uuid = await doneJob(apiKey);
      const url = `${base}/status/${uuid}`;
      const { expires_at } = (await service.call(apiKey, { method: "GET", url })).json();
      const remainingMs = Date.parse(expires_at) - service.clock.now();
      service.clock.move(remainingMs - 200);
      const pending = await service.result(apiKey, uuid);
      expect(pending.statusCode).toBe(200);
      expect(pending.json()).toHaveLength(1);
      service.clock.move(200);
      const removed = await service.result(apiKey, uuid);
      expect(removed.statusCode).toBe(410);
      expect((await service.call(apiKey, { method: "GET", url })).json().status).toBe("expired");
      const filtered = `${base}/jobs?status=expired`;
      const listUuids = await service.call(apiKey, { method: "GET", url: filtered });
      expect(listUuids.json().jobs).toHaveLength(1);
      expect(listUuids.json().jobs[0]).toMatchObject({ uuid, status: "expired", count: null });
    },
  );
});

describe("the list of jobs", () => {
  let apiKey: string;
  const uuids: string[] = [];

  const list = (parameters = "", path = `${base}/jobs`, caller = apiKey) =>
    service.call(caller, { method: "GET", url: `${path}${parameters}` });

  async function listUuids(parameters = ""): Promise<string[]> {
    const response = await list(parameters);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().jobs.map((job: { uuid: string }) => job.uuid);
  }

  beforeAll(async () => {
    apiKey = await service.makeKey();
    for (let count = 0; count < 5; count++) {
      const type = count % 2 === 0 ? "searchbyquery" : "searchbyfullarchive";
      const response = await service.submit(apiKey, search("comet", { type }));
      uuids.unshift(response.json().uuid);
      await service.result(apiKey, response.json().uuid);
      service.clock.move(10);
    }
  });

  withFileStore(
    "the list of jobs is ordered newest first, with the status of each job but no result details",
    async () => {
      const response = await list();
      expect(response.statusCode).toBe(200);
      expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
      const body = response.json();
      expect(jobList.parse(body)).toEqual(body);
      expect(body.next_cursor).toBeNull();
      expect(body.jobs.map((job: { uuid: string }) => job.uuid)).toEqual(uuids);
      const url = `${base}/status/${uuids[0]}`;
      const status = (await service.call(apiKey, { method: "GET", url })).json();
      const { sources, coverage, next_cursor, warnings, ...rest } = status;
      const { warnings: listedWarnings, ...first } = body.jobs[0];
      const [, keyId] = apiKey.split("_");
      expect(first).toEqual({ ...rest, key: keyId, cost_usd: null });
      expect(warnings).toEqual(expect.arrayContaining(listedWarnings));
      expect(first).toMatchObject({ status: "done", count: 1, complete: false });
    },
  );

  test("the list of jobs contains all of the account's jobs on every platform path", async () => {
    const bodies = new Set<string>();
    for (const path of ["social", "x", "twitter", "mastodon"]) {
      bodies.add((await list("", `/v1/search/live/${path}/jobs`)).body);
    }
    bodies.add((await list("", "/v1/search/live/jobs")).body);
    expect(bodies.size).toBe(1);
  });

  withFileStore(
    "the list of jobs neither skips nor repeats jobs between pages while jobs are submitted",
    async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      let later = "";
      do {
        const parameters: string = cursor === null ? "?limit=2" : `?limit=2&cursor=${cursor}`;
        const body = (await list(parameters)).json();
        expect(body.jobs.length).toBeLessThanOrEqual(2);
        seen.push(...body.jobs.map((job: { uuid: string }) => job.uuid));
        cursor = body.next_cursor;
        if (later === "") later = await doneJob(apiKey);
      } while (cursor !== null);
      expect(seen).toEqual(uuids);
      await service.call(apiKey, { method: "DELETE", url: `${base}/status/${later}` });
      expect(await listUuids()).toEqual(uuids);
    },
  );

  withFileStore("the list of jobs can be filtered by state and method", async () => {
    const archiveJobs = uuids.filter((_, index) => index % 2 === 1);
    expect(await listUuids("?method=searchbyfullarchive")).toEqual(archiveJobs);
    expect(await listUuids("?method=searchbyquery,searchbyfullarchive")).toEqual(uuids);
    expect(await listUuids("?status=done&method=searchbyfullarchive&limit=1")).toEqual([
      archiveJobs[0],
    ]);
    expect(await listUuids("?status=done,error")).toEqual(uuids);
    expect(await listUuids("?status=received,in%20progress,error(retrying),cancelled")).toEqual([]);
  });

  withFileStore(
    "the list of jobs can be filtered by platform and by part of the query",
    async () => {
      expect(await listUuids("?platform=social&query=OME")).toEqual(uuids);
      expect(await listUuids("?platform=bluesky,x")).toEqual([]);
      expect(await listUuids("?query=asteroid")).toEqual([]);
    },
  );

  test("the list of jobs names no key for a job of the dashboard", async () => {
    const session = await service.signIn();
    await service.callAs(session, {
      method: "POST",
      url: "/v1/search/social",
      payload: search("comet"),
    });
    const response = await service.callAs(session, { method: "GET", url: `${base}/jobs` });
    expect(response.json()).toMatchObject({ jobs: [{ query: "comet", key: null }] });
  });

  test.each([
    ["?status=finished", "/status", /unknown status "finished"/],
    ["?status=", "/status", /unknown status ""/],
    ["?status=done,", "/status", /unknown status ""/],
    ["?status=done&status=error", "/status", /comma-separated values/],
    ["?method=searchbymood", "/method", /unknown method/],
    ["?platform=myspace", "/platform", /unknown platform/],
    ["?query=", "/query", /1 to 100/],
    ["?query=%00", "/query", /control characters/],
    ["?limit=0", "/limit", /1 to 100/],
    ["?limit=101", "/limit", /1 to 100/],
    ["?limit=1e1", "/limit", /1 to 100/],
    ["?page=2", "/page", /unknown parameter/],
  ])("the list of jobs rejects %s", async (parameters, pointer, message) => {
    const response = await list(parameters);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: "invalid_request", errors: [{ pointer }] });
    expect(response.json().detail).toMatch(message);
  });

  test.each(["abc", "", "AAAA", "A".repeat(31)])(
    "the list of jobs rejects the cursor %j",
    async (cursor) => {
      const response = await list(`?cursor=${cursor}`);
      expect(response.statusCode).toBe(400);
      const errors = [{ code: "cursor_invalid", pointer: "/cursor" }];
      expect(response.json()).toMatchObject({ code: "cursor_invalid", errors });
    },
  );

  test("the list of jobs is empty for another account, even with this account's cursor", async () => {
    const outsider = await service.makeKey();
    const cursor = (await list("?limit=1")).json().next_cursor;
    for (const parameters of ["", `?cursor=${cursor}`]) {
      const response = await list(parameters, `${base}/jobs`, outsider);
      expect(response.json()).toEqual({ jobs: [], next_cursor: null });
    }
  });

  test("the list of jobs returns headers for HEAD, and costs one request", async () => {
    const response = await service.call(apiKey, { method: "HEAD", url: `${base}/jobs` });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("");
    const slow = await service.makeKey({ requestsPerSecond: null });
    const first = await list("", `${base}/jobs`, slow);
    expect(first.headers.ratelimit).toContain('"burst";r=2');
  });
});

test("8 KB of hostile text in a header or parameter is handled quickly", async () => {
  const hostile = [
    "a".repeat(8_000),
    `a${";".repeat(8_000)}`,
    '"\\'.repeat(4_000),
    ",".repeat(8_000),
  ];
  const cpuMs = startCpuTime();
  for (const text of hostile) {
    for (const name of ["prefer", "idempotency-key"]) {
      const headers = { [name]: text };
      const payload = search("comet");
      const response = await idle.call(idleKey, { method: "POST", url: base, headers, payload });
      expect([202, 400], `${name}: ${text.slice(0, 9)}`).toContain(response.statusCode);
    }
    for (const name of ["status", "method", "limit", "cursor", "uuid"]) {
      const path = name === "uuid" ? "events" : "jobs";
      const url = `${base}/${path}?${name}=${encodeURIComponent(text)}`;
      const response = await idle.call(idleKey, { method: "GET", url });
      expect([400, 404], name).toContain(response.statusCode);
      expect(response.body.length).toBeLessThan(4_000);
    }
  }
  expect(cpuMs()).toBeLessThan(3_000);
});
