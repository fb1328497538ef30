import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";
import type { Api } from "../../mcp/api.ts";
import { clientDisconnect } from "../connections/client-disconnect.ts";
import type { HttpContext } from "../context.ts";
import { injectForCaller } from "../middleware/caller.ts";
import { problem } from "../problems/write-problem.ts";

const optionalText = z.string().optional();

/** Headers that scripts from other origins may send. */
const headers = z.looseObject({
  "content-type": optionalText,
  "mcp-method": optionalText,
  "mcp-name": optionalText,
  "mcp-protocol-version": optionalText,
});

/** MCP without sessions. Each call costs one request of the key; tools that search also cost searches. */
export function addMcpRoute(app: FastifyInstance, { log, dashboard, settings }: HttpContext): void {
  app.route({
    method: ["POST", "GET", "DELETE"],
    url: "/mcp",
    config: { access: "call", isMcp: true },
    schema: { hide: true, headers },
    onRequest: async (request) => requireKnownOrigin(request, settings),
    handler: async (request, reply) => {
      // A batch would count as one request; the protocol has had none since 2025-06-18.
      if (Array.isArray(request.body)) throw batchRefused();
      const handler = await handlerFor(request);
      const disconnectSignal = clientDisconnect(reply);
      disconnectSignal.addEventListener("abort", () => handler.close(), { once: true });
      const response = await handler.fetch(webRequest(request, disconnectSignal), {
        parsedBody: request.body ?? undefined,
      });
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      return response.body === null
        ? reply.send()
        : reply.send(Readable.fromWeb(response.body as ReadableStream<Uint8Array>));
    },
  });

  async function handlerFor(request: FastifyRequest): Promise<McpHttpHandler> {
    // Loaded on demand, because most servers get no MCP requests and loading takes a tenth of the start-up time.
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("../../mcp/server.ts"),
    ]);
    const api: Api = ({ method, path, headers = {}, body }) =>
      injectForCaller(app, request, {
        method,
        url: path,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
    return createMcpHandler(
      () => createMcpServer({ api, randomUuid: randomUUID }, dashboard.version),
      {
        onerror: (error) => log.warn({ request_id: request.id, err: error }, "MCP request failed"),
      },
    );
  }
}

const batchRefused = () =>
  problem("invalid_request", "batches are not supported", {
    hint: "send each message in a separate request",
  });

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const { method } = request;
  const body = method === "POST" ? JSON.stringify(request.body ?? null) : null;
  return new Request(`http://${request.host}${request.url}`, { method, headers, body, signal });
}

const loopbackOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Protects against DNS rebinding. Errors: `forbidden_origin`. */
function requireKnownOrigin(
  { headers: { origin } }: FastifyRequest,
  { corsOrigins, publicUrl }: Pick<HttpContext["settings"], "corsOrigins" | "publicUrl">,
): void {
  if (origin === undefined || origin === publicUrl || loopbackOrigin.test(origin)) return;
  if (corsOrigins.includes("*") || corsOrigins.includes(origin)) return;
  throw problem("forbidden_origin", "this origin is not allowed to use the server", {
    hint: "list the page's origin in EARSHOT_CORS_ORIGINS",
  });
}
