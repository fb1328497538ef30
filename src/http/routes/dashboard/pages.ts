import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyReply } from "fastify";
import { packageRoot } from "../../../lib/package-root.ts";
import type { HttpContext } from "../../context.ts";
import { pageHeaders } from "../../dashboard/page-headers.ts";
import { acceptsHtml } from "../../docs-site/accepts-html.ts";
import { problem } from "../../problems/write-problem.ts";
import type { TypedApp } from "../typed-app.ts";

const builtFolder = fileURLToPath(new URL("dist/web", packageRoot));

const strictTransport = { "strict-transport-security": "max-age=31536000" } as const;

/**
 * GET / is the landing page for browsers and redirects others to the documentation. /dashboard serves the single-page app, whose status page needs no session. Files
 * with a content hash are cached permanently.
 */
export function addPageRoutes(app: TypedApp, { settings }: Pick<HttpContext, "settings">): void {
  const isBuilt = existsSync(`${builtFolder}/app.html`);
  if (isBuilt) {
    app.register(fastifyStatic, {
      root: builtFolder,
      prefix: "/dashboard/",
      serve: false,
      preCompressed: true,
      cacheControl: false,
      index: false,
    });
  }

  function sendPage(reply: FastifyReply, file: "app.html" | "index.html") {
    if (!isBuilt) throw notBuilt();
    if (settings.publicUrl?.startsWith("https:")) reply.headers(strictTransport);
    return reply.headers(pageHeaders).sendFile(file);
  }

  app.route({
    method: "GET",
    url: "/",
    schema: { hide: true },
    handler: async (request, reply) => {
      reply.header("vary", "Accept, Accept-Encoding");
      if (!isBuilt || !acceptsHtml(request.headers.accept)) return reply.redirect("/docs", 302);
      return sendPage(reply, "index.html");
    },
  });
  app.route({
    method: "GET",
    url: "/dashboard",
    schema: { hide: true },
    handler: async (_request, reply) => sendPage(reply, "app.html"),
  });
  app.route({
    method: "GET",
    url: "/status",
    schema: { hide: true },
    handler: async (_request, reply) => reply.redirect("/dashboard/status", 302),
  });
  app.route<{ Params: { "*": string } }>({
    method: "GET",
    url: "/dashboard/*",
    schema: { hide: true },
    handler: async (request, reply) => {
      if (request.params["*"].startsWith("api/")) throw noSuchPath();
      return sendPage(reply, "app.html");
    },
  });
  app.route<{ Params: { file: string } }>({
    method: "GET",
    url: "/dashboard/assets/:file",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { file } = request.params;
      if (!isBuilt) throw notBuilt();
      if (!/^\w[\w.-]*$/.test(file) || !existsSync(`${builtFolder}/assets/${file}`))
        throw noSuchPath();
      reply.headers({
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      });
      return reply.sendFile(`assets/${file}`);
    },
  });
  for (const name of ["favicon.svg", "logo.svg", "theme.js"]) {
    app.route({
      method: "GET",
      url: `/dashboard/${name}`,
      schema: { hide: true },
      handler: async (_request, reply) => {
        if (!isBuilt) throw notBuilt();
        reply.headers({
          "cache-control": "public, max-age=3600",
          "x-content-type-options": "nosniff",
        });
        return reply.sendFile(name);
      },
    });
  }
}

function noSuchPath() {
  return problem("not_found", "path not found", { hint: "see GET /docs for all paths" });
}

function notBuilt() {
  return problem("not_found", "the dashboard is not built", {
    hint: "build it with npm run prepare, which requires the development dependencies",
  });
}
