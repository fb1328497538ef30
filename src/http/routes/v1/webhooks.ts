import * as z from "zod";
import { jobEvents } from "../../../jobs/webhooks/webhook.ts";
import { webhookBody, webhookWithSecretBody } from "../../answers/webhook-body.ts";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { jsonResponse, problemResponses, unexpectedBodyErrors } from "../../schemas/responses.ts";
import {
  newWebhook,
  webhookList,
  webhookPath,
  webhookResponse,
  webhookWithSecret,
} from "../../schemas/webhooks.ts";
import type { TypedApp } from "../typed-app.ts";
import { noWebhook, webhookRefusals as refusals, sendJson, webhookRoute } from "./webhook-route.ts";

const { config, schema: sharedSchema } = webhookRoute;

export function addWebhookRoutes(
  app: TypedApp,
  { webhooks, clock }: Pick<HttpContext, "webhooks" | "clock">,
): void {
  app.route({
    method: "POST",
    url: "/v1/webhooks",
    config,
    schema: {
      ...sharedSchema,
      operationId: "createWebhook",
      summary: "Register a webhook",
      description:
        "Sends an event to the URL when a job of the account ends, in the format of Standard Webhooks. The signing secret " +
        "is in this response only.",
      body: newWebhook,
      response: {
        201: jsonResponse("Registered. Location is its path.", webhookWithSecret),
        ...problemResponses({
          ...refusals,
          409: "The account has reached its webhook limit.",
          413: "The body is too large.",
          415: "The body is not plain JSON.",
        }),
      },
    },
    handler: async (request, reply) => {
      const { url, events = jobEvents } = request.body;
      const subscribedEvents = jobEvents.filter((event) => events.includes(event));
      const created = await webhooks.create(requireCaller(request).accountId, {
        url,
        events: subscribedEvents,
      });
      reply.code(201).header("location", `/v1/webhooks/${created.webhook.id}`);
      return sendJson(reply, webhookWithSecretBody(created, clock.now()));
    },
  });

  app.route({
    method: "GET",
    url: "/v1/webhooks",
    config,
    schema: {
      ...sharedSchema,
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "The webhooks of the account, oldest first, without their secrets.",
      response: { 200: jsonResponse("The webhooks.", webhookList), ...problemResponses(refusals) },
    },
    handler: async (request, reply) => {
      const list = await webhooks.list(requireCaller(request).accountId);
      return sendJson(reply, {
        webhooks: list.map((webhook) => webhookBody(webhook, clock.now())),
      });
    },
  });

  app.route({
    method: "GET",
    url: "/v1/webhooks/:id",
    config,
    schema: {
      ...sharedSchema,
      operationId: "readWebhook",
      summary: "Read a webhook",
      params: webhookPath,
      response: {
        200: jsonResponse("The webhook.", webhookResponse),
        ...problemResponses(refusals),
      },
    },
    handler: async (request, reply) => {
      const webhook = await webhooks.find(requireCaller(request).accountId, request.params.id);
      return sendJson(reply, webhookBody(webhook ?? throwNoWebhook(), clock.now()));
    },
  });

  app.route({
    method: "DELETE",
    url: "/v1/webhooks/:id",
    config,
    schema: {
      ...sharedSchema,
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Also deletes its deliveries, including pending ones.",
      params: webhookPath,
      response: {
        204: z.undefined().meta({ description: "Deleted." }),
        ...problemResponses({ ...refusals, ...unexpectedBodyErrors }),
      },
    },
    handler: async (request, reply) => {
      const isRemoved = await webhooks.remove(requireCaller(request).accountId, request.params.id);
      if (!isRemoved) throwNoWebhook();
      return reply.code(204).send();
    },
  });

  app.route({
    method: "POST",
    url: "/v1/webhooks/:id/secret",
    config,
    schema: {
      ...sharedSchema,
      operationId: "replaceWebhookSecret",
      summary: "Replace the secret of a webhook",
      description:
        "Events are signed with both secrets until former_secret_until, so that receivers can switch without a gap. If it is " +
        "replaced again before then, only the last two secrets are used.",
      params: webhookPath,
      response: {
        200: jsonResponse("The new secret is in this response only.", webhookWithSecret),
        ...problemResponses({ ...refusals, ...unexpectedBodyErrors }),
      },
    },
    handler: async (request, reply) => {
      const replacement = await webhooks.replaceSecret(
        requireCaller(request).accountId,
        request.params.id,
      );
      return sendJson(reply, webhookWithSecretBody(replacement ?? throwNoWebhook(), clock.now()));
    },
  });

  app.route({
    method: "POST",
    url: "/v1/webhooks/:id/enable",
    config,
    schema: {
      ...sharedSchema,
      operationId: "enableWebhook",
      summary: "Enable a disabled webhook",
      description:
        "Sends waiting deliveries and future events. Events that occurred while it was disabled are not sent.",
      params: webhookPath,
      response: {
        200: jsonResponse("The webhook, enabled.", webhookResponse),
        ...problemResponses({ ...refusals, ...unexpectedBodyErrors }),
      },
    },
    handler: async (request, reply) => {
      const webhook = await webhooks.enable(requireCaller(request).accountId, request.params.id);
      return sendJson(reply, webhookBody(webhook ?? throwNoWebhook(), clock.now()));
    },
  });
}

function throwNoWebhook(): never {
  throw noWebhook();
}
