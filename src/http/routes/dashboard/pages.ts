import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { once } from "../../../lib/once.ts";
import { packageRoot } from "../../../lib/package-root.ts";
import { acceptedEncoding, createBuiltFiles, sendFile } from "../../built-files/built-files.ts";
import type { HttpContext } from "../../context.ts";
import { pageHeaders } from "../../dashboard/headers.ts";
import { acceptsHtml } from "../../docs-site/accepts-html.ts";
import { problem } from "../../problems/write-problem.ts";
import type { TypedApp } from "../typed-app.ts";

const builtFolder = new URL("dist/web/", packageRoot);

const strictTransport = { "strict-transport-security": "max-age=31536000" } as const;

/**
 * GET / is the landing page for browsers and redirects other clients to the documentation. The
 * status page needs no session.
 */
export function addPageRoutes(app: TypedApp, { settings }: Pick<HttpContext, "settings">): void {
  const isBuilt = existsSync(new URL("app.html", builtFolder));
  const files = createBuiltFiles(builtFolder);
  const links = once(() => pageLinks(builtFolder));

  /** Sets the headers only if the file exists: an error must not be cached. */
  async function sendBuiltFile(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    headers: Readonly<Record<string, string>>,
  ) {
    if (!isBuilt) throw notBuilt();
    const encoding = acceptedEncoding(request.headers["accept-encoding"]);
    const file = await files.find(name, encoding);
    if (file === null) throw noSuchPath();
    return sendFile(request, reply.headers(headers), file);
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, name: string) {
    if (settings.publicUrl?.startsWith("https:")) reply.headers(strictTransport);
    return sendBuiltFile(request, reply, name, pageHeaders);
  }

  function sendAsset(request: FastifyRequest, reply: FastifyReply, name: string, lifetime: string) {
    return sendBuiltFile(request, reply, name, {
      "cache-control": `public, ${lifetime}`,
      "x-content-type-options": "nosniff",
    });
  }

  app.route({
    method: "GET",
    url: "/",
    schema: { hide: true },
    handler: async (request, reply) => {
      reply.header("vary", "Accept, Accept-Encoding");
      if (!isBuilt || !acceptsHtml(request.headers.accept)) return reply.redirect("/docs", 302);
      return sendPage(request, reply, "index.html");
    },
  });
  app.route({
    method: "GET",
    url: "/dashboard",
    schema: { hide: true },
    handler: async (request, reply) => sendPage(request, reply, "app.html"),
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
      const [page = ""] = request.params["*"].split("/", 1);
      if (page === "api") throw noSuchPath();
      const link = (await links()).get(page);
      if (link !== undefined) reply.header("link", link);
      return sendPage(request, reply, "app.html");
    },
  });
  app.route<{ Params: { file: string } }>({
    method: "GET",
    url: "/dashboard/assets/:file",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { file } = request.params;
      if (!/^\w[\w.-]*$/.test(file)) throw noSuchPath();
      return sendAsset(request, reply, `assets/${file}`, "max-age=31536000, immutable");
    },
  });
  for (const name of ["favicon.svg", "logo.svg", "theme.js"]) {
    app.route({
      method: "GET",
      url: `/dashboard/${name}`,
      schema: { hide: true },
      handler: async (request, reply) => sendAsset(request, reply, name, "max-age=3600"),
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

/**
 * Link headers by page name (web/page-files.ts), with which browsers load a page's files early.
 * Empty without a build.
 */
async function pageLinks(folder: URL): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL("page-files.json", folder), "utf8").catch(() => "{}");
  const pages: Readonly<Record<string, readonly string[]>> = JSON.parse(text);
  return new Map(
    Object.entries(pages).map(([name, files]) => [name, files.map(linkTo).join(", ")]),
  );
}

/** Uses the request mode of `import()` or Vite's style sheets; otherwise, files would be loaded twice. */
function linkTo(file: string): string {
  const relation = file.endsWith(".css") ? "preload; as=style; crossorigin" : "modulepreload";
  return `</dashboard/${file}>; rel=${relation}; fetchpriority=low`;
}
