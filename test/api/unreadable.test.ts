import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let key: string;
const path = "/v1/search/live/social";

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_MAX_BODY_BYTES: "1048576" });
  key = await service.makeKey();
});
afterAll(() => service.remove());

async function refusal(body: string | Buffer) {
  const response = await service.call(key, {
    method: "POST",
    url: path,
    headers: { "content-type": "application/json" },
    payload: body,
  });
  expect(response.headers["content-type"]).toContain("application/problem+json");
  expect(response.statusCode).toBe(400);
  return { ...response.json(), size: response.body.length };
}

describe("error responses are small regardless of the request", () => {
  const names = (count: number, name: (index: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));

  test.each([
    ["many unknown names", names(4_900, (index) => `name${index}`)],
    ["long unknown names", names(20, (index) => `${index}${"n".repeat(40_000)}`)],
    ["long words", { type: "t".repeat(500_000), arguments: { type: "m".repeat(500_000) } }],
    ["a long query", search("since:".concat("9".repeat(900_000)))],
  ])("an error response is small regardless of the size of the request: %s", async (_, body) => {
    for (const whole of [body, { ...search("comet"), arguments: body }]) {
      const { size, errors } = await refusal(JSON.stringify(whole));
      expect(size).toBeLessThan(32_000);
      expect(errors.length).toBeLessThanOrEqual(64);
    }
  });

  test("each unknown name in a request has its own message", async () => {
    const { errors } = await refusal(JSON.stringify(search("comet", { max_result: 1, cont: 1 })));
    expect(errors).toMatchObject([
      { pointer: "/arguments/max_result", message: expect.stringContaining('"max_results"?') },
      { pointer: "/arguments/cont", message: expect.stringContaining('"count"?') },
    ]);
  });

  test("the error response to a long query string is small", async () => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const parameters = Array.from({ length: 1_500 }, (_, index) => `p${index}=1`).join("&");
    const url = `${path}/status/${uuid}?${parameters}`;
    const response = await service.call(key, { method: "GET", url });
    expect(response.statusCode).toBe(400);
    expect(response.body.length).toBeLessThan(32_000);
  });
});

test("a body with too many names is rejected as too complex", async () => {
  const names = Array.from({ length: 60_000 }, (_, index) => `"n${index}":1`);
  const response = await service.submit(key, `{${names.join(",")}}`);
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    code: "invalid_request",
    error: "the body is too complex: it has more than 5000 different names",
  });
});

describe("an unreadable body", () => {
  test.each([
    ['{"type":', "the body is not JSON: unexpected end of JSON input"],
    ['{"type": social}', "the body is not JSON: unexpected token 's'"],
    [
      '{\n"type" "social"}',
      "the body is not JSON: expected ':' after property name at position 9 (line 2 column 8)",
    ],
    ["[".repeat(200_000), "the body is nested too deeply"],
    [`${"[".repeat(200_000)}${"]".repeat(200_000)}`, "the body is nested too deeply"],
    ["", "the body is empty, expected a JSON object"],
  ])("an unreadable body is rejected with the reason: %.20s", async (body, message) => {
    expect(await refusal(body)).toMatchObject({ code: "invalid_json", error: message, uuid: "" });
  });

  test("a body of bytes that are not UTF-8 is rejected", async () => {
    const body = Buffer.from(JSON.stringify(search("comet \u00e9")), "latin1");
    expect(await refusal(body)).toMatchObject({
      code: "invalid_json",
      error: "the body is not UTF-8",
    });
  });

  test("a forbidden name in a nested object of a body is rejected, even if it is escaped", async () => {
    for (const name of ["__proto__", "\\u005f_proto__"]) {
      const body = `{"type":"social","arguments":{"query":{"${name}":1}}}`;
      expect(await refusal(body)).toMatchObject({
        code: "invalid_request",
        error: expect.stringContaining("__proto__"),
      });
    }
  });

  test.each([
    [null, "expected a JSON object"],
    [{ type: "social" }, "/arguments: expected an object of arguments"],
    [{ ...search("comet"), type: 5 }, "/type: type must be a string"],
    [search("comet", { max_results: "20" }), "/arguments/max_results: expected a whole number"],
    [search("comet", { count: 1.5 }), "/arguments/count: expected a whole number"],
    [search("comet", { query: 5 }), "/arguments/query: expected a string"],
  ])(
    "the error for the body %j explains what is expected and how to send it",
    async (body, message) => {
      const problem = await refusal(JSON.stringify(body));
      expect(problem).toMatchObject({ code: "invalid_request", error: message });
      expect(problem.hint).toMatch(/^(send|use) /);
    },
  );
});

describe("the same error has a hint that fits its route", () => {
  const hintAt = async (method: "GET" | "POST", url: string, payload?: unknown) => {
    const response = await service.call(key, {
      method,
      url,
      headers: payload === undefined ? {} : { "content-type": "application/json" },
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    });
    expect(response.statusCode, response.body).toBe(400);
    return response.json().hint;
  };

  test.each([
    [path, '"type":"social"'],
    ["/v1/search/social", '"wait":10'],
    ["/v1/webhooks", '"url":'],
  ])("a list as body of %s is an error with a hint that fits the route", async (url, hint) => {
    expect(await hintAt("POST", url, [])).toContain(hint);
  });

  test("a wait that is not a whole number is an error with a hint that fits the route", async () => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    expect(await hintAt("GET", `${path}/status/${uuid}?wait=0`)).toContain("?wait=10");
    const requested = { ...search("comet"), wait: 0 };
    expect(await hintAt("POST", "/v1/search/social", requested)).toContain('"wait":10');
  });
});

test("the job list rejects out-of-range numbers, wrong types and unknown words with a code for each", async () => {
  for (const [parameters, code] of [
    ["limit=0", "out_of_range"],
    ["limit=101", "out_of_range"],
    ["limit=ten", "wrong_type"],
    ["status=Done", "unknown_value"],
  ]) {
    const response = await service.call(key, { url: `${path}/jobs?${parameters}` });
    expect(response.json().errors[0], parameters).toMatchObject({ code });
  }
});

test.each([path, "/v1/search/live", "/v1/search/social", "/api/v1/data/social/tweets/recent"])(
  "the route %s rejects query parameters that it would ignore",
  async (url) => {
    const response = await service.call(key, {
      method: "POST",
      url: `${url}?wait=10`,
      headers: { "content-type": "application/json" },
      payload: url.startsWith("/api") ? { query: "comet" } : search("comet"),
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      code: "invalid_request",
      hint: expect.stringContaining("Prefer: wait=10"),
      errors: [{ code: "unknown_argument", pointer: "/wait" }],
    });
  },
);

describe("an ambiguous JSON body is rejected", () => {
  const whole = JSON.stringify(search("comet"));

  test.each([
    ["a name twice", whole.replace("{", '{"type":"x",')],
    ["a name twice in a nested object", whole.replace('"query"', '"count":5,"count":6,"query"')],
    ["a name twice, in two spellings", whole.replace("{", '{"t\\u0079pe":"x",')],
  ])("an ambiguous JSON body is rejected: %s", async (_, body) => {
    expect(await refusal(body)).toMatchObject({
      code: "invalid_request",
      error: "an object in the body has a duplicate name",
    });
  });

  test.each([
    ["too large", "1e400"],
    ["larger than the safe integers", "9007199254740993"],
    ["400 digits long", `${"1".repeat(400)}`],
    ["too small", "-1e400"],
    ["not a JSON number", "0x14"],
  ])("a body with a count that is %s is rejected", async (_, number) => {
    const body = whole.replace('"query"', `"count":${number},"query"`);
    expect(["invalid_request", "invalid_json"]).toContain((await refusal(body)).code);
  });

  test("one byte order mark before a body is ignored, and a second one is an error", async () => {
    const headers = { "content-type": "application/json" };
    const send = (payload: string) =>
      service.call(key, { method: "POST", url: path, headers, payload });
    expect((await send(`\ufeff${whole}`)).statusCode).toBe(202);
    expect((await refusal(`\ufeff\ufeff${whole}`)).code).toBe("invalid_json");
  });

  test("quotes, backslashes and colons within strings of a body are not treated as names", async () => {
    const query = String.raw`comet -"a": -"b\": -"{\"a\":1}"`;
    const response = await service.submit(key, JSON.stringify(search(query)));
    expect(response.statusCode, response.body).toBe(202);
  });
});

test("a lone surrogate in a query is replaced, and the query is accepted", async () => {
  const response = await service.submit(key, search('comet -"x\ud800y"'));
  expect(response.statusCode).toBe(202);
  const { uuid } = response.json();
  const status = await service.call(key, { method: "GET", url: `${path}/status/${uuid}?wait=9` });
  expect(status.json().query).toBe('comet -"x\ufffdy"');
  expect(status.json().canonical_query.isWellFormed()).toBe(true);
});

test.each(["0x1e", "1e1", "%205", "5.0", "+5", "05", "5&wait=6", "31", "0", "-1", ""])(
  "the parameter wait=%s is rejected",
  async (wait) => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const url = `${path}/result/${uuid}?wait=${wait}`;
    const response = await service.call(key, { method: "GET", url });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors[0]).toMatchObject({
      pointer: "/wait",
      message: "expected a whole number of seconds from 1 to 30",
    });
  },
);

describe("methods", () => {
  const others = METHODS.filter((method) => !["CONNECT", "OPTIONS", "POST"].includes(method));

  test.each(others)(
    "the method %s on a path that takes POST returns 405 with Allow",
    async (method) => {
      const answer = await fetchRaw(method, path);
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer).toMatch(/\r\nallow: OPTIONS, POST\r\n/);
    },
  );

  test.each(["QUERY", "PROPFIND", "POST"])(
    "the method %s on an unknown path returns 404",
    async (method) => {
      expect(await fetchRaw(method, "/nothing")).toMatch(/^HTTP\/1\.1 404 /);
    },
  );
});

/** Sends any method, unlike client libraries. */
async function fetchRaw(method: string, url: string): Promise<string> {
  const socket = await connectTo(service.url);
  const head = `${method} ${url} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\n{`;
  socket.write(head);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("the type of a problem links to its page", async () => {
  const { type, title } = await refusal("{");
  const response = await service.call(null, { method: "GET", url: type });
  expect(response.statusCode).toBe(200);
  expect(response.headers["content-type"]).toBe("text/markdown; charset=utf-8");
  expect(response.body.startsWith(`# ${title}\n`)).toBe(true);
});

describe("requests that Node's parser would reject with an empty body", () => {
  async function answerTo(request: string): Promise<string> {
    const socket = await connectTo(service.url);
    socket.write(request);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  }
  const close = "Connection: close\r\n\r\n";

  test.each([
    ["a request without Host", `GET /livez HTTP/1.1\r\n${close}`, "the Host header is required"],
    ["a CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "not a valid HTTP/1.1 request"],
    [
      "a TLS handshake",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "not a valid HTTP/1.1 request",
    ],
    ["an HTTP/2 request", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "not a valid HTTP/1.1 request"],
    [
      "two lengths of one body",
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      "not a valid HTTP/1.1 request",
    ],
  ])(
    "a request that Node's parser would reject with an empty body is answered with a problem: %s",
    async (_, request, message) => {
      const [head = "", body = ""] = (await answerTo(request)).split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(head).toMatch(/\r\ncontent-type: application\/problem\+json/i);
      const { code, detail, hint } = JSON.parse(body);
      expect(code).toBe("invalid_request");
      expect(detail).toContain(message);
      expect(hint).toMatch(/.{10,}/);
    },
  );

  test.each([
    ["an unknown expectation", `GET /livez HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n${close}`],
    ["HTTP/1.0, which needs no Host", "GET /livez HTTP/1.0\r\n\r\n"],
  ])("a request with %s is answered", async (_, request) => {
    expect(await answerTo(request)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
