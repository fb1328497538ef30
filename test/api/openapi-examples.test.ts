import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type DescribedLink,
  type DescribedParameter,
  describeErrors,
  type Endpoint,
  endpointNamed,
  endpoints,
  examplesIn,
  findDeviations,
  pointer,
  schemas,
} from "../../testkit/service/described-api.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

let service: ServiceUnderTest;
let key: string;
let slow: string;

beforeAll(async () => {
  service = await startServiceUnderTest({
    EARSHOT_WEBHOOK_CONCURRENCY: "0",
    EARSHOT_MAX_WEBHOOKS: "1000",
  });
  key = await service.makeKey();
  slow = await service.makeKey({ requestsPerSecond: 1 });
  const createdMs = service.clock.now() - 60_000;
  const createdAt = new Date(createdMs).toISOString();
  const post = (name: string) =>
    makePost({ key: name, text: "comet", createdMs, createdAt, langs: ["en"] });
  await service.addPosts([post("one"), post("two")]);
  sharedValues = await makeValues();
});
afterAll(() => service.remove());

const all = endpoints.map((endpoint) => [endpoint.operation.operationId, endpoint] as const);
const withKey = all.filter(([, { operation }]) => operation.security !== undefined);
const withBody = all.filter(([, { operation }]) => operation.requestBody !== undefined);

async function doneJob(): Promise<string> {
  const { uuid } = (await service.submit(key, search("comet"))).json();
  await service.result(key, uuid);
  return uuid;
}

function getExample({ example, schema }: DescribedParameter): unknown {
  return example ?? schema.examples?.[0];
}

type Values = Readonly<Record<string, string>>;

/** Not used by requests that delete resources. */
let sharedValues: Values;

/** Creates resources and returns their ids. */
async function makeValues(): Promise<Values> {
  const payload = { url: "https://example.com/earshot" };
  const created = await service.call(key, { method: "POST", url: "/v1/webhooks", payload });
  const { id } = created.json();
  const tested = await service.call(key, { method: "POST", url: `/v1/webhooks/${id}/test` });
  return { uuid: await doneJob(), id, delivery: tested.json().id };
}

type Request = { options: InjectOptions; key: string | null };

/** `values` take precedence. */
function makeRequest(
  { method, path, operation }: Endpoint,
  values: Readonly<Record<string, string>>,
): Request {
  let url = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters ?? []) {
    const { name, in: position, required } = parameter;
    const value = String(values[name] ?? getExample(parameter) ?? "");
    if (position === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (position === "query" && (required || name in values)) query.set(name, value);
    else if (position === "header" && required) headers[name] = value;
  }
  const body = operation.requestBody?.content["application/json"];
  if (body !== undefined) headers["content-type"] = "application/json";
  return {
    key: operation.security === undefined ? null : key,
    options: {
      method: method as "GET",
      url: query.size === 0 ? url : `${url}?${query}`,
      headers,
      ...(body === undefined ? {} : { payload: JSON.stringify(examplesIn(body)[0]?.[1]) }),
    },
  };
}

async function send({ key: caller, options }: Request, changes: InjectOptions = {}) {
  return await service.call(caller, {
    ...options,
    ...changes,
    headers: { ...options.headers, ...changes.headers },
  });
}

function expectDescribed(
  endpoint: Endpoint,
  response: LightMyRequestResponse,
  status: number | RegExp,
) {
  expect(findDeviations(endpoint, response), response.body.slice(0, 500)).toBe("");
  if (typeof status === "number") expect(response.statusCode, response.body).toBe(status);
  else expect(String(response.statusCode), response.body).toMatch(status);
}

/** These need a node of another process; see test/nodes/api.test.ts. */
const remoteNodeOperations = ["fetchProof", "fetchProofWithoutPlatform", "readAttestation"];

describe("every documented request is accepted and gets its documented response", () => {
  test.each(all)(
    "the documented request %s is accepted and gets its documented response",
    async (id, endpoint) => {
      const values = endpoint.method === "DELETE" ? await makeValues() : sharedValues;
      const status = remoteNodeOperations.includes(id) ? 404 : /^(?:2|302)/;
      expectDescribed(endpoint, await send(makeRequest(endpoint, values)), status);
    },
  );
});

describe("every error response matches its documentation", () => {
  test.each(withKey)(
    "the error response of %s without a key is as documented",
    async (_, endpoint) => {
      const { options } = makeRequest(endpoint, { uuid: "0f8fad5b-d9cb-469f-a165-70867728950e" });
      expectDescribed(endpoint, await send({ options, key: null }), 401);
    },
  );

  test.each(withKey)(
    "the error response of %s with an unknown platform, job or other resource is as documented",
    async (_, endpoint) => {
      for (const parameter of endpoint.operation.parameters ?? []) {
        if (parameter.in !== "path") continue;
        const values = { ...sharedValues, [parameter.name]: "nothing" };
        expectDescribed(endpoint, await send(makeRequest(endpoint, values)), 404);
      }
    },
  );

  test.each(withKey)(
    "the error response of %s with an unknown parameter is as documented",
    async (_, endpoint) => {
      const hasQuery = endpoint.operation.parameters?.some(
        ({ in: position }) => position === "query",
      );
      if (!hasQuery) return;
      const { options, key: caller } = makeRequest(endpoint, sharedValues);
      const separator = String(options.url).includes("?") ? "&" : "?";
      const response = await send({
        options: { ...options, url: `${options.url}${separator}nothing=1` },
        key: caller,
      });
      expectDescribed(endpoint, response, 400);
    },
  );

  test.each(withKey)(
    "the error response of %s with a key over its rate is as documented",
    async (_, endpoint) => {
      const url = "/v1/search/live/social/status/0f8fad5b-d9cb-469f-a165-70867728950e";
      const { options } = makeRequest(endpoint, { uuid: "0f8fad5b-d9cb-469f-a165-70867728950e" });
      // A slow machine may take longer than the second for both.
      const refused = await until("a refusal", async () => {
        await service.call(slow, { method: "GET", url });
        const response = await send({ options, key: slow });
        return response.statusCode === 429 ? response : null;
      });
      expectDescribed(endpoint, refused, 429);
    },
  );

  test.each(withBody)(
    "the error response of %s with a body that is malformed, of another type or too large is as documented",
    async (_, endpoint) => {
      const request = makeRequest(endpoint, sharedValues);
      const type = { "content-type": "text/plain" };
      expectDescribed(endpoint, await send(request, { payload: "{" }), 400);
      expectDescribed(endpoint, await send(request, { payload: '{"nothing":1}' }), 400);
      expectDescribed(endpoint, await send(request, { headers: type }), 415);
      expectDescribed(endpoint, await send(request, { payload: `"${"a".repeat(70_000)}"` }), 413);
    },
  );
});

describe("an unexpected body is rejected as documented", () => {
  const without = all.filter(
    ([, { method, operation }]) =>
      ["POST", "DELETE"].includes(method) && operation.requestBody === undefined,
  );
  test.each(without)(
    "the request %s with an unexpected body of another type, malformed or too large is rejected as documented",
    async (_, endpoint) => {
      const request = makeRequest(endpoint, sharedValues);
      const json = { "content-type": "application/json" };
      const text = { "content-type": "text/plain" };
      const large = `"${"a".repeat(70_000)}"`;
      expectDescribed(endpoint, await send(request, { payload: "a", headers: text }), 415);
      expectDescribed(endpoint, await send(request, { payload: "{", headers: json }), 400);
      expectDescribed(endpoint, await send(request, { payload: large, headers: json }), 413);
    },
  );
});

describe("every example matches its schema", () => {
  test.each(all)(
    "the examples of %s match their schemas",
    (_, { operation, pointer: position }) => {
      for (const [index, parameter] of (operation.parameters ?? []).entries()) {
        if (parameter.in !== "header" && parameter.required)
          expect(getExample(parameter), parameter.name).toBeDefined();
        const example = getExample(parameter);
        if (example === undefined) continue;
        expect(
          describeErrors(example, `${position}${pointer("parameters", String(index), "schema")}`),
        ).toBe("");
      }
      const bodies = [
        [pointer("requestBody"), operation.requestBody?.content ?? {}] as const,
        ...Object.entries(operation.responses).map(
          ([status, { content = {} }]) => [pointer("responses", status), content] as const,
        ),
      ];
      for (const [owner, content] of bodies) {
        for (const [type, media] of Object.entries(content)) {
          if (!/json$/.test(type)) continue;
          const at = `${position}${owner}${pointer("content", type, "schema")}`;
          const shown = examplesIn(media);
          expect(shown.length, `${owner} ${type}`).toBeGreaterThan(0);
          for (const [name, value] of shown) expect(describeErrors(value, at), name).toBe("");
        }
      }
    },
  );

  test.each(Object.entries(schemas))(
    "the examples of the schema %s match it",
    (name, { examples = [] }) => {
      for (const value of examples) {
        expect(describeErrors(value, pointer("components", "schemas", name))).toBe("");
      }
    },
  );

  test("each error status documents at least one problem, and only problems with that status", () => {
    for (const { operation } of endpoints) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        const problems = content["application/problem+json"];
        if (problems === undefined) continue;
        const shown = examplesIn(problems);
        expect(shown.length, `${operation.operationId} ${status}`).toBeGreaterThan(0);
        for (const [code, value] of shown) {
          expect(value).toMatchObject({ code, status: Number(status) });
        }
      }
    }
  });
});

/** Evaluates a runtime expression. */
function evaluate(
  expression: string,
  request: Readonly<Record<string, string>>,
  response: LightMyRequestResponse,
): string {
  const inPath = /^\$request\.path\.(\w+)$/.exec(expression)?.[1];
  if (inPath !== undefined) return request[inPath] ?? "social";
  const inBody = /^\$response\.body#\/(.+)$/.exec(expression)?.[1];
  if (inBody === undefined) throw new Error(`unsupported expression ${expression}`);
  const value = inBody
    .split("/")
    .reduce<unknown>((part, name) => Reflect.get(Object(part), name), response.json());
  return String(value);
}

describe("every link leads to an operation that accepts its values", () => {
  const links = endpoints.flatMap((endpoint) =>
    Object.entries(endpoint.operation.responses).flatMap(([status, { links: documented = {} }]) =>
      Object.entries(documented).map(
        ([name, link]) =>
          [
            `${endpoint.operation.operationId} ${status} → ${name}`,
            endpoint,
            status,
            link,
          ] as const,
      ),
    ),
  );

  test("the links of operations connect submit, status and result", () => {
    expect(links.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        "submitSearch 202 → readStatus",
        "submitSearch 202 → fetchResult",
        "readStatus 200 → fetchResult",
      ]),
    );
  });

  test.each(links)(
    "the link of %s leads to an operation that accepts its values",
    async (_, endpoint, status, link: DescribedLink) => {
      const target = endpointNamed(link.operationId);
      const names = (target.operation.parameters ?? []).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(link.parameters)));
      const values = await makeValues();
      const response = await send(makeRequest(endpoint, values));
      if (String(response.statusCode) !== status) return;
      const parameters = Object.fromEntries(
        Object.entries(link.parameters).map(([name, expression]) => [
          name,
          evaluate(expression, values, response),
        ]),
      );
      const expected = remoteNodeOperations.includes(link.operationId) ? 404 : /^2/;
      expectDescribed(target, await send(makeRequest(target, parameters)), expected);
    },
  );
});
