import * as z from "zod";
import type { TypedApp } from "../typed-app.ts";
import { readOnce } from "./read-once.ts";

const apiPage = new URL("../../../../docs/api.md", import.meta.url);
const heading = "## Problems\n";

/** GET /docs/errors: where the `type` of every problem leads. */
export function addErrorsRoute(app: TypedApp): void {
  const page = readOnce(apiPage);
  app.route({
    method: "GET",
    url: "/docs/errors",
    schema: {
      operationId: "errors",
      summary: "What each problem means, and what to do",
      tags: ["operation"],
      response: {
        200: {
          description: "Markdown; each code has an anchor of its name.",
          content: { "text/markdown": { schema: z.string() } },
        },
      },
    },
    handler: async (_request, reply) =>
      reply.type("text/markdown; charset=utf-8").send(sectionOf(await page())),
  });
}

/** The chapter of the page, up to the next one. */
function sectionOf(page: string): string {
  const start = page.indexOf(heading);
  const end = page.indexOf("\n## ", start + heading.length);
  return page.slice(start, end < 0 ? page.length : end);
}
