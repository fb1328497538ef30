import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { acceptedEncoding, type ServedFile, sendFile } from "../../built-files/built-files.ts";
import { pageHeaders } from "../../dashboard/headers.ts";
import { acceptsHtml } from "../../docs-site/accepts-html.ts";
import { pagePath } from "../../docs-site/page-tree.ts";
import { createServedPages } from "../../docs-site/served-pages.ts";
import { problem } from "../../problems/write-problem.ts";
import { problemShape } from "../../schemas/responses.ts";
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
  description: "The name of a decision record.",
  examples: ["0001-fill-in-the-contract"],
});

/** Images have inline styles and load nothing. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'";

const text = z.string().meta({ description: "The page." });
const pageResponses = {
  200: {
    description:
      "HTML for clients that prefer it, such as browsers; otherwise, and for paths that end in .md, Markdown.",
    content: { "text/html": { schema: text }, "text/markdown": { schema: text } },
  },
  304: z.null().meta({ description: "The page has not changed since If-None-Match." }),
};
const redirects = {
  308: z.null().meta({
    description: "The path ends in /. Location is the page.",
  }),
};
const missingPage = {
  404: {
    description: "The page does not exist. HTML for clients that prefer it.",
    content: {
      "application/problem+json": { schema: problemShape },
      "text/html": { schema: text },
    },
  },
};

export function addDocsRoutes(app: TypedApp): void {
  const pages = createServedPages(readOnce(openApiFile));

  async function respond(request: FastifyRequest, reply: FastifyReply, path: string) {
    const isFile = path.endsWith(".md");
    const name = isFile ? pagePath(path.slice(1)) : path;
    const isHtml = !isFile && acceptsHtml(request.headers.accept);
    const encoding = acceptedEncoding(request.headers["accept-encoding"]);
    const html = isHtml ? await pages.findHtml(name, encoding) : null;
    const file = html ?? (await pages.findSource(name));
    if (file === null) {
      const address = await pages.pageAddress(path);
      if (address !== null) return reply.redirect(address, 308);
      throw problem("not_found", "page not found", { hint: "see /docs for all pages" });
    }
    // Browsers would save Markdown as a file.
    if (isHtml && file.type.startsWith("text/markdown"))
      return send(request, reply, { ...file, type: "text/plain; charset=utf-8" });
    return send(request, reply, file);
  }

  function send(request: FastifyRequest, reply: FastifyReply, file: ServedFile) {
    reply.headers({
      ...pageHeaders,
      ...(file.type.startsWith("image/") && { "content-security-policy": picturePolicy }),
      vary: "Accept, Accept-Encoding",
      "cache-control": "public, max-age=60",
    });
    return sendFile(request, reply, file);
  }

  app.route({
    method: "GET",
    url: "/docs",
    schema: {
      operationId: "docs",
      summary: "The documentation",
      tags: ["documentation"],
      response: pageResponses,
    },
    handler: (request, reply) => respond(request, reply, ""),
  });
  app.route({
    method: "GET",
    url: "/docs/:page",
    schema: {
      operationId: "docsPage",
      summary: "A page of the documentation",
      tags: ["documentation"],
      params: z.object({ page }),
      response: { ...pageResponses, ...redirects, ...missingPage },
    },
    handler: (request, reply) => respond(request, reply, `/${request.params.page}`),
  });
  app.route({
    method: "GET",
    url: "/docs/errors",
    schema: {
      operationId: "errors",
      summary: "All problems, with links to warnings and job failures",
      tags: ["documentation"],
      response: pageResponses,
    },
    handler: (request, reply) => respond(request, reply, "/errors"),
  });
  app.route({
    method: "GET",
    url: "/docs/errors/:code",
    schema: {
      operationId: "error",
      summary: "The cause of a problem and its fix",
      description: "The type of every problem links here.",
      tags: ["documentation"],
      params: z.object({ code }),
      response: { ...pageResponses, ...redirects, ...missingPage },
    },
    handler: (request, reply) => respond(request, reply, `/errors/${request.params.code}`),
  });
  app.route({
    method: "GET",
    url: "/docs/decisions/:record",
    schema: {
      operationId: "decision",
      summary: "A decision record",
      tags: ["documentation"],
      params: z.object({ record }),
      response: { ...pageResponses, ...redirects, ...missingPage },
    },
    handler: (request, reply) => respond(request, reply, `/decisions/${request.params.record}`),
  });
  app.route({
    method: "GET",
    url: "/docs/reference",
    schema: {
      operationId: "reference",
      summary: "Every endpoint",
      tags: ["documentation"],
      response: pageResponses,
    },
    handler: (request, reply) => respond(request, reply, "/reference"),
  });
  app.route({
    method: "GET",
    url: "/docs/reference/:page",
    schema: {
      operationId: "referencePage",
      summary: "The endpoints of a resource, or all schemas",
      tags: ["documentation"],
      params: z.object({ page: z.string().meta({ examples: ["webhooks"] }) }),
      response: { ...pageResponses, ...redirects, ...missingPage },
    },
    handler: (request, reply) => respond(request, reply, `/reference/${request.params.page}`),
  });
  app.route({
    method: "GET",
    url: "/docs/search.json",
    schema: { hide: true },
    handler: async (request, reply) => {
      const encoding = acceptedEncoding(request.headers["accept-encoding"]);
      const index = await pages.findSearchIndex(encoding);
      if (index === null) throw problem("not_found", "the documentation is not built");
      return send(request, reply, index);
    },
  });
  app.route({
    method: "GET",
    url: "/llms.txt",
    schema: {
      operationId: "llms",
      summary: "A list of all pages for language models",
      tags: ["documentation"],
      response: {
        200: {
          description: "Links to the pages as Markdown.",
          content: { "text/plain": { schema: z.string() } },
        },
      },
    },
    handler: async (request, reply) => send(request, reply, await pages.llms()),
  });
}
