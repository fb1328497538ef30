import type { FastifyReply } from "fastify";
import { problem } from "../../problems/write-problem.ts";

export const webhookRoute = {
  config: { access: "call" as const },
  schema: { tags: ["webhooks"], security: [{ key: [] }] },
};

export const webhookRefusals = {
  400: "The request is invalid; errors says where, and how to fix it.",
  401: "No valid key.",
  403: "The account is suspended.",
  404: "The webhook does not exist, or belongs to another account.",
  429: "The key exceeded a rate limit; retry after Retry-After.",
  503: "The store is temporarily unavailable.",
};

export function sendJson(reply: FastifyReply, body: unknown) {
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}

/** The webhook is unknown or another account's. */
export const noWebhook = () => problem("webhook_not_found", "webhook not found");
