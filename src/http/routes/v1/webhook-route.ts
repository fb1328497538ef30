import type { FastifyReply } from "fastify";
import { problem } from "../../problems/write-problem.ts";

export const webhookRoute = {
  config: { pace: "call" as const },
  schema: { tags: ["webhooks"], security: [{ key: [] }] },
};

export const webhookRefusals = {
  400: "The request is not valid; errors tells where and how to fix it.",
  401: "No valid key.",
  403: "The account is suspended.",
  404: "There is no such webhook, or it is another account's.",
  429: "A rate of the key is used up; Retry-After tells when to come again.",
  503: "The store cannot be asked for the moment.",
};

export function send(reply: FastifyReply, body: unknown) {
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}

/** Unknown, or another account's. */
export const noWebhook = () => problem("webhook_not_found", "there is no such webhook");
