import * as z from "zod";
import { packageRoot } from "../../../lib/package-root.ts";
import { jsonResponse } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";
import { readOnce } from "./read-once.ts";

/** `npm run openapi` regenerates it from the routes. */
export const openApiFile = new URL("openapi.json", packageRoot);

const openApiDocument = z
  .looseObject({ openapi: z.string() })
  .meta({ examples: [{ openapi: "3.1.1" }] });

export function addOpenApiRoute(app: TypedApp): void {
  const readDocument = readOnce(openApiFile);
  app.route({
    method: "GET",
    url: "/openapi.json",
    schema: {
      operationId: "openapi",
      summary: "Get this description",
      tags: ["operation"],
      response: { 200: jsonResponse("OpenAPI 3.1.", openApiDocument) },
    },
    handler: async (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(await readDocument()),
  });
}
