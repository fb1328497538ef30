import type { FastifyReply, FastifyRequest } from "fastify";
import { pageHeaders } from "../dashboard/headers.ts";
import { readOnce } from "../routes/ops/read-once.ts";
import { acceptsHtml } from "./accepts-html.ts";
import { builtDocs } from "./served-pages.ts";

/** Browsers get problem JSON under these paths. */
const programPaths = /^\/(?:v1|api|mcp|dashboard\/(?:api|assets))(?:[/?]|$)/;

/** Whether a 404 should be HTML. */
export function isBrowserNavigation({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !programPaths.test(url) && acceptsHtml(headers.accept);
}

const readPage = readOnce(new URL("not-found.html", builtDocs));

/** The fallback if the pages have not been built. */
const plainPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Page not found</title>
<h1>Page not found</h1><p><a href="/docs">Documentation</a></p></html>
`;

export async function sendNotFoundPage(reply: FastifyReply): Promise<FastifyReply> {
  const html = await readPage().catch(() => plainPage);
  return reply
    .code(404)
    .headers({ ...pageHeaders, vary: "Accept", "cache-control": "no-store" })
    .type("text/html; charset=utf-8")
    .send(html);
}
