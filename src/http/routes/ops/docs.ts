import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { acceptsHtml } from "../../docs-site/accepts-html.ts";
import { createServedPages } from "../../docs-site/served-pages.ts";
import { problem } from "../../problems/write-problem.ts";
import { problemShape } from "../../schemas/answers.ts";
import type { TypedApp } from "../typed-app.ts";
import { openApiFile } from "./openapi.ts";
import { readOnce } from "./read-once.ts";

const page = z.string().meta({
  description: "The name of a page.",
  examples: ["query-language"],
});
const code = z.string().meta({
  description: "The code of a problem, or details, warnings, job-failures.",
  examples: ["invalid_query"],
});
const record = z.string().meta({
  description: "The name of a record.",
  examples: ["0001-fill-in-the-contract"],
});

const text = z.string().meta({ description: "The page." });
const pageAnswer = {
  200: {
    description: "HTML for who prefers it, as browsers do; else Markdown.",
    content: { "text/html": { schema: text }, "text/markdown": { schema: text } },
  },
  304: z.null().meta({ description: "The page is still the one that If-None-Match names." }),
};
const redirects = {
  308: z.null().meta({
    description:
      "The page was named as its file, ending in .md, or with a / at its end. Location is its path.",
  }),
};
const missingPage = {
  404: {
    description: "There is no such page. HTML for who prefers it.",
    content: {
      "application/problem+json": { schema: problemShape },
      "text/html": { schema: text },
    },
  },
};

/** GET /docs and below; for browsers as HTML without scripts or external resources. Every problem's `type` points here. */
export function addDocsRoutes(app: TypedApp): void {
  const description = readOnce(openApiFile);
  const pages = createServedPages(async () => String(await description()));

  async function answer(request: FastifyRequest, reply: FastifyReply, path: string) {
    const found = await pages.find(path);
    if (found === null) {
      const address = await pages.addressOf(path);
      if (address !== null) return reply.redirect(address, 308);
      throw problem("not_found", "there is no such page", { hint: "/docs lists the pages" });
    }
    const { type, body, etag, policy } = acceptsHtml(request.headers.accept)
      ? found.html
      : found.plain;
    reply.headers({
      etag,
      vary: "Accept",
      "cache-control": "public, max-age=60",
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    if (isCached(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type(type).send(body);
  }

  app.route({
    method: "GET",
    url: "/docs",
    schema: {
      operationId: "docs",
      summary: "The documentation, with every endpoint and schema",
      tags: ["documentation"],
      response: pageAnswer,
    },
    handler: (request, reply) => answer(request, reply, ""),
  });
  app.route({
    method: "GET",
    url: "/docs/:page",
    schema: {
      operationId: "docsPage",
      summary: "A page of the documentation",
      tags: ["documentation"],
      params: z.object({ page }),
      response: { ...pageAnswer, ...redirects, ...missingPage },
    },
    handler: (request, reply) => answer(request, reply, `/${request.params.page}`),
  });
  app.route({
    method: "GET",
    url: "/docs/errors",
    schema: {
      operationId: "errors",
      summary: "All problems, with links to warnings and job failures",
      tags: ["documentation"],
      response: pageAnswer,
    },
    handler: (request, reply) => answer(request, reply, "/errors"),
  });
  app.route({
    method: "GET",
    url: "/docs/errors/:code",
    schema: {
      operationId: "error",
      summary: "The cause of a problem and its fix",
      description: "The type of every problem leads here.",
      tags: ["documentation"],
      params: z.object({ code }),
      response: { ...pageAnswer, ...redirects, ...missingPage },
    },
    handler: (request, reply) => answer(request, reply, `/errors/${request.params.code}`),
  });
  app.route({
    method: "GET",
    url: "/docs/decisions/:record",
    schema: {
      operationId: "decision",
      summary: "Why something is as it is",
      tags: ["documentation"],
      params: z.object({ record }),
      response: { ...pageAnswer, ...redirects, ...missingPage },
    },
    handler: (request, reply) => answer(request, reply, `/decisions/${request.params.record}`),
  });
}

/** Weak comparison (RFC 9110). */
function isCached(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  if (field.trim() === "*") return true;
  return field.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
