import { readFileSync } from "node:fs";
import swagger from "@fastify/swagger";
import fastify from "fastify";
import { createJsonSchemaTransform } from "fastify-type-provider-zod";
import { expect, test } from "vitest";
import { announceDeprecations, type Deprecation } from "../routes/index.ts";
import { openApiFile } from "../routes/ops/openapi.ts";

const sampleDeprecation: Deprecation = {
  since: "2027-03-01",
  sunset: "2027-09-01",
  link: "https://earshot.example/docs/changes",
};

async function appWith(deprecation: Deprecation) {
  const app = fastify();
  const openapi = { info: { title: "t", version: "1" } };
  await app.register(swagger, { openapi, transform: createJsonSchemaTransform({}) });
  announceDeprecations(app);
  app.get("/old", { config: { deprecated: deprecation } }, async () => "old");
  app.get("/fails", { config: { deprecated: deprecation } }, async () => {
    throw new Error("no luck");
  });
  app.get("/present", async () => "present");
  await app.ready();
  return app;
}

test.each(["/old", "/fails"])(
  "every response of a deprecated route has the deprecation headers: %s",
  async (url) => {
    const app = await appWith(sampleDeprecation);
    const { headers } = await app.inject({ url });
    expect(new Date(Number(headers.deprecation?.toString().slice(1)) * 1000).toISOString()).toBe(
      "2027-03-01T00:00:00.000Z",
    );
    expect(headers.sunset).toBe("Wed, 01 Sep 2027 00:00:00 GMT");
    expect(headers.link).toBe(
      '<https://earshot.example/docs/changes>; rel="deprecation", <https://earshot.example/docs/changes>; rel="sunset"',
    );
  },
);

test("other routes have no deprecation headers", async () => {
  const { headers } = await (await appWith(sampleDeprecation)).inject({ url: "/present" });
  expect(headers).not.toHaveProperty("deprecation");
  expect(headers).not.toHaveProperty("sunset");
});

test("the OpenAPI description marks only deprecated routes", async () => {
  const app = await appWith(sampleDeprecation);
  const { paths }: { paths: Record<string, { get: object }> } = JSON.parse(
    JSON.stringify(app.swagger()),
  );
  expect(paths["/old"]?.get).toMatchObject({ deprecated: true });
  expect(paths["/present"]?.get).not.toHaveProperty("deprecated");
});

test("a removal less than six months after the announcement is rejected", async () => {
  await expect(appWith({ ...sampleDeprecation, sunset: "2027-08-31" })).rejects.toThrow(
    "is less than",
  );
  await expect(appWith({ ...sampleDeprecation, sunset: "soon" })).rejects.toThrow("is less than");
});

test("no route of this API is deprecated", () => {
  expect(readFileSync(openApiFile, "utf8")).not.toContain('"deprecated"');
});
