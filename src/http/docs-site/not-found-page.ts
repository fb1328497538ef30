import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptsHtml } from "./accepts-html.ts";
import { htmlPage } from "./html-page.ts";
import { contentPolicy } from "./style.ts";

/** Paths of programs, whose errors are problems for browsers too. */
const ofPrograms = /^\/(?:v1|api|mcp|dashboard\/(?:api|assets))(?:[/?]|$)/;

/** Whether a person opened an address that does not exist. */
export function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !ofPrograms.test(url) && acceptsHtml(headers.accept);
}

/** With ways back. */
export function sendNotFoundPage(reply: FastifyReply): FastifyReply {
  const html =
    "<h1>Page not found</h1>\n<p>There is no page at this address. It may have moved, or the address has a typing error.</p>\n" +
    '<ul><li><a href="/">Start page</a></li><li><a href="/dashboard">Dashboard</a></li><li><a href="/docs">Documentation</a></li></ul>\n';
  return reply
    .code(404)
    .headers({
      vary: "Accept",
      "cache-control": "no-store",
      "content-security-policy": contentPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    })
    .type("text/html; charset=utf-8")
    .send(htmlPage("", { title: "Page not found", html, contents: [] }));
}
