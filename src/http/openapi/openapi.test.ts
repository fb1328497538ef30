import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { openApiFile } from "../routes/ops/openapi.ts";
import { clientCalls } from "./code-samples/client-calls.ts";
import { openApiText } from "./openapi.ts";

const codeSample = z.strictObject({
  lang: z.enum(["Shell", "TypeScript", "Python"]),
  label: z.enum(["curl", "TypeScript", "Python", "CLI"]),
  source: z.string().min(10),
});
const operation = z.looseObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]+$/),
  summary: z.string().min(3),
  tags: z.array(z.string()).length(1),
  security: z.array(z.unknown()).optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
  "x-codeSamples": z.array(codeSample).min(1),
  responses: z.record(
    z.string(),
    z.looseObject({
      description: z.string().min(5),
      content: z.record(z.string(), z.unknown()).optional(),
      headers: z.record(z.string(), z.unknown()),
    }),
  ),
});
const documentShape = z.looseObject({
  openapi: z.literal("3.1.1"),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const text = await openApiText();
const document = documentShape.parse(JSON.parse(text));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, described })),
);

test("openapi.json matches the routes (npm run openapi regenerates it)", () => {
  expect(readFileSync(openApiFile, "utf8")).toBe(text);
});

test("every operation in openapi.json has a unique ID", () => {
  const ids = operations.map(({ described }) => described.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every operation has a curl sample, and those that the clients call have one in each language", () => {
  const clientOperations = new Set(Object.keys(clientCalls));
  for (const { described } of operations) {
    const labels = described["x-codeSamples"].map(({ label }) => label);
    const others = clientOperations.delete(described.operationId) ? ["TypeScript", "Python"] : [];
    expect(labels.slice(0, 3), described.operationId).toEqual(["curl", ...others]);
  }
  expect([...clientOperations]).toEqual([]);
});

test("the main routes are described in openapi.json", async () => {
  expect(Object.keys(document.paths).length).toBeGreaterThan(20);
  for (const path of [
    "/v1/search/live/{platform}",
    "/v1/search/live/{platform}/status/{uuid}",
    "/v1/search/live/{platform}/result/{uuid}",
    "/v1/search/{platform}",
    "/v1/search/{platform}/counts",
    "/v1/webhooks/{id}",
    "/api/v1/data/{platform}/tweets/recent",
    "/docs/errors/{code}",
    "/readyz",
  ]) {
    expect(document.paths).toHaveProperty([path]);
  }
});

/** Paths that anyone can read without a key. */
const publicPaths = ["/v1/nodes", "/v1/status", "/v1/attestations/{id}", "/v1/attestation/policy"];

test("authenticated operations are marked as such and describe 400, 401 and 429, and 404 for named resources", () => {
  for (const { path, described } of operations) {
    const needsKey = path.includes("/v1/") && !publicPaths.includes(path);
    expect(described.security !== undefined, path).toBe(needsKey);
    if (!needsKey) continue;
    const named = path.includes("{") ? ["404"] : [];
    expect(Object.keys(described.responses), path).toEqual(
      expect.arrayContaining(["400", "401", "429", ...named]),
    );
  }
});

test("every response in openapi.json describes X-Request-Id, and every 429 describes Retry-After", () => {
  for (const { path, described } of operations) {
    for (const [status, { headers }] of Object.entries(described.responses)) {
      expect(headers, `${path} ${status}`).toHaveProperty(["X-Request-Id"]);
      if (status === "429") expect(headers, path).toHaveProperty(["Retry-After"]);
    }
  }
});

test("schemas in openapi.json have examples, and every reference resolves", () => {
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(document.components.schemas, name).toHaveProperty([name ?? ""]);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (["SearchArguments", "PlainSearchArguments", "Metadata"].includes(name)) continue;
    expect(JSON.stringify(schema), name).toContain('"examples"');
  }
});
