import { readDeliveryCursor } from "../../answers/list-cursor.ts";
import { deliveryBody, deliveryListBody } from "../../answers/webhook-body.ts";
import type { HttpContext } from "../../context.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { withPointer } from "../../problems/with-pointer.ts";
import { problem } from "../../problems/write-problem.ts";
import { jsonResponse, problemResponses, unexpectedBodyErrors } from "../../schemas/responses.ts";
import {
  deliveriesQuery,
  deliveryList,
  deliveryPath,
  deliveryResponse,
  webhookPath,
} from "../../schemas/webhooks.ts";
import type { TypedApp } from "../typed-app.ts";
import { noWebhook, sendJson, webhookRefusals, webhookRoute } from "./webhook-route.ts";

const { config, schema: sharedSchema } = webhookRoute;

const refusals = {
  ...webhookRefusals,
  404: "The webhook or delivery does not exist, or belongs to another account.",
};

const disabledResponse = { 409: "The webhook is disabled." };

const defaultLimit = 20;

export function addWebhookDeliveryRoutes(
  app: TypedApp,
  { webhooks }: Pick<HttpContext, "webhooks">,
): void {
  app.route({
    method: "POST",
    url: "/v1/webhooks/:id/test",
    config,
    schema: {
      ...sharedSchema,
      operationId: "testWebhook",
      summary: "Send a test event",
      description:
        "Sends an event of type webhook.test, signed and retried like any other. The list of deliveries shows its result.",
      params: webhookPath,
      response: {
        202: jsonResponse("Accepted.", deliveryResponse),
        ...problemResponses({ ...refusals, ...disabledResponse, ...unexpectedBodyErrors }),
      },
    },
    handler: async (request, reply) => {
      const delivery = await webhooks.test(requireCaller(request).accountId, request.params.id);
      if (delivery === null) throw noWebhook();
      return sendJson(reply.code(202), deliveryBody(delivery));
    },
  });

  app.route({
    method: "GET",
    url: "/v1/webhooks/:id/deliveries",
    config,
    schema: {
      ...sharedSchema,
      operationId: "listDeliveries",
      summary: "List deliveries of a webhook",
      description: "Newest first.",
      params: webhookPath,
      querystring: deliveriesQuery,
      response: {
        200: jsonResponse("A page of the list.", deliveryList),
        ...problemResponses(refusals),
      },
    },
    handler: async (request, reply) => {
      const { state, limit = defaultLimit, cursor } = request.query;
      const { id } = request.params;
      const page = await webhooks.deliveries(requireCaller(request).accountId, id, {
        states: state ?? null,
        before:
          cursor === undefined
            ? null
            : withPointer("/cursor", () => readDeliveryCursor(id, cursor)),
        limit,
      });
      if (page === null) throw noWebhook();
      return sendJson(reply, deliveryListBody(id, page));
    },
  });

  app.route({
    method: "POST",
    url: "/v1/webhooks/:id/deliveries/:delivery/replay",
    config,
    schema: {
      ...sharedSchema,
      operationId: "replayDelivery",
      summary: "Send a delivery again",
      description:
        "Sends it immediately, in any state, with the same webhook-id and the full number of attempts.",
      params: deliveryPath,
      response: {
        202: jsonResponse("Accepted.", deliveryResponse),
        ...problemResponses({ ...refusals, ...disabledResponse, ...unexpectedBodyErrors }),
      },
    },
    handler: async (request, reply) => {
      const { id, delivery } = request.params;
      const outcome = await webhooks.replay(requireCaller(request).accountId, id, delivery);
      if (outcome === "webhook") throw noWebhook();
      if (outcome === "delivery") {
        throw problem("delivery_not_found", "delivery not found", {
          hint: `find stored deliveries at GET /v1/webhooks/:id/deliveries`,
        });
      }
      return sendJson(reply.code(202), deliveryBody(outcome));
    },
  });
}
