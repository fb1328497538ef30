import * as z from "zod";
import { jobStates } from "../../jobs/job.ts";
import { deliveryStates, jobEvents, webhookEvents } from "../../jobs/webhooks/webhook.ts";
import { maxUrlLength } from "../../jobs/webhooks/webhook-url.ts";
import { methodNames, sourceTypes } from "../../platforms/methods.ts";
import { platforms } from "../../posts/post.ts";
import { commaSeparatedList, pageParameters } from "./parameters.ts";
import { closedObject, closedQuery, errorWithHint, namedEnum } from "./words.ts";

const id = z.string().meta({
  description: "The id of the webhook.",
  examples: ["wh_4fK2nQ7sVd81LmXzRt0B"],
});
const delivery = z.string().meta({
  description: "The id of the delivery; its webhook-id header.",
  examples: ["msg_9b74c9897bac770ffc029102a200c5de"],
});

export const webhookPath = z.object({ id });
export const deliveryPath = z.object({ id, delivery });

const urlError = errorWithHint(
  `expected a URL of at most ${maxUrlLength} characters`,
  'send "url":"https://host.example/path"',
);

const eventsError = errorWithHint(
  `expected a list of different events: ${jobEvents.join(", ")}`,
  "omit it for all",
);

export const newWebhook = closedObject(
  {
    kind: "field",
    message: "expected a JSON object",
    hint: 'send {"url":"https://host.example/path"}',
  },
  {
    url: z
      .string(urlError)
      .min(1, urlError)
      .max(maxUrlLength, urlError)
      .meta({
        description: "Where events are sent; https, on the public internet.",
        examples: ["https://example.com/earshot"],
      }),
    events: z
      .array(namedEnum("event", jobEvents, 'send, for example, "job.done"'), eventsError)
      .min(1, eventsError)
      .max(jobEvents.length, eventsError)
      .refine((events) => new Set(events).size === events.length, eventsError)
      .optional()
      .meta({
        description: "The events to send; default: all.",
        uniqueItems: true,
        examples: [["job.done", "job.error"]],
      }),
  },
).meta({
  id: "NewWebhook",
  examples: [{ url: "https://example.com/earshot", events: ["job.done", "job.error"] }],
});

const time = z.iso.datetime().meta({ examples: ["2026-01-31T12:00:00.000Z"] });

const webhookShape = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(jobEvents)),
  status: z.enum(["enabled", "disabled"]),
  created_at: time,
  failing_since: time.nullable().meta({
    description: "The first failure after the last success; null if the last delivery succeeded.",
  }),
  disabled_at: time.nullable(),
  disabled_reason: z.string().nullable(),
  former_secret_until: time.nullable().meta({
    description: "Events are also signed with the former secret until this time.",
  }),
  dropped: z.int().meta({
    description: "Deliveries dropped because there were too many or they were too old.",
  }),
};

const webhookExample = {
  id: "wh_4fK2nQ7sVd81LmXzRt0B",
  url: "https://example.com/earshot",
  events: ["job.done", "job.error"],
  status: "enabled",
  created_at: "2026-01-31T12:00:00.000Z",
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
  former_secret_until: null,
  dropped: 0,
};

export const webhookResponse = z
  .strictObject(webhookShape)
  .meta({ id: "Webhook", examples: [webhookExample] });

export const webhookWithSecret = z
  .strictObject({
    ...webhookShape,
    secret: z.string().meta({ description: "Signs the events. Shown only once." }),
  })
  .meta({
    id: "WebhookWithSecret",
    examples: [{ ...webhookExample, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwLaQxMfKQ9r8=" }],
  });

export const webhookList = z
  .strictObject({ webhooks: z.array(webhookResponse) })
  .meta({ id: "WebhookList", examples: [{ webhooks: [webhookExample] }] });

export const deliveriesQuery = closedQuery("send ?state=waiting,failed&limit=20", {
  state: commaSeparatedList("state", deliveryStates).meta({
    description: "Comma-separated states; default: all.",
    examples: ["waiting,failed"],
  }),
  ...pageParameters("Deliveries"),
});

const payloadExample = {
  type: "job.done",
  timestamp: "2026-01-31T12:00:00.009Z",
  data: {
    uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
    status: "done",
    error: "",
    platform: "social",
    type: "social",
    method: "searchbyquery",
    count: 20,
    complete: true,
    submitted_at: "2026-01-31T12:00:00.000Z",
    finished_at: "2026-01-31T12:00:00.009Z",
    expires_at: "2026-02-01T12:00:00.009Z",
    attempts: 1,
    result_url: "/v1/search/live/social/result/0f8fad5b-d9cb-469f-a165-70867728950e",
  },
};

const jobEvent = z
  .strictObject({
    type: z.enum(jobEvents),
    timestamp: time.meta({ description: "When it happened." }),
    data: z.strictObject({
      uuid: z.uuid(),
      status: z.enum(jobStates),
      error: z.string().meta({ description: "Why the job failed; otherwise empty." }),
      platform: z.enum(["social", ...platforms]),
      type: z.enum(sourceTypes),
      method: z.enum(methodNames),
      count: z.int().nullable().meta({ description: "Number of records." }),
      complete: z.boolean().nullable(),
      submitted_at: time,
      finished_at: time.nullable(),
      expires_at: time.nullable().meta({ description: "When the result is deleted." }),
      attempts: z.int(),
      result_url: z.string().nullable().meta({
        description: "Path of the result on this service; null without a result.",
      }),
    }),
  })
  .meta({
    id: "JobEvent",
    description: "Sent when a job ends.",
    examples: [payloadExample],
  });

const testEvent = z
  .strictObject({
    type: z.literal("webhook.test"),
    timestamp: time,
    data: z.strictObject({ webhook_id: z.string() }),
  })
  .meta({
    id: "TestEvent",
    description: "A test event.",
    examples: [
      {
        type: "webhook.test",
        timestamp: "2026-01-31T12:00:00.000Z",
        data: { webhook_id: "wh_4fK2nQ7sVd81LmXzRt0B" },
      },
    ],
  });

export const deliveryResponse = z
  .strictObject({
    id: z.string().meta({ description: "The webhook-id header of every attempt." }),
    event: z.enum(webhookEvents),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    created_at: time,
    last_attempt_at: time.nullable(),
    next_attempt_at: time.nullable().meta({ description: "Null if no attempt follows." }),
    delivered_at: time.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the last response; null without one." }),
    last_error: z.string().nullable().meta({ description: "Why the last attempt failed." }),
    payload: z.union([jobEvent, testEvent]).meta({ description: "The request body." }),
  })
  .meta({
    id: "WebhookDelivery",
    examples: [
      {
        id: "msg_9b74c9897bac770ffc029102a200c5de",
        event: "job.done",
        state: "waiting",
        attempts: 1,
        created_at: "2026-01-31T12:00:00.009Z",
        last_attempt_at: "2026-01-31T12:00:00.120Z",
        next_attempt_at: "2026-01-31T12:00:05.480Z",
        delivered_at: null,
        last_status: 500,
        last_error: "returned 500",
        payload: payloadExample,
      },
    ],
  });

export const deliveryList = z
  .strictObject({ deliveries: z.array(deliveryResponse), next_cursor: z.string().nullable() })
  .meta({ id: "WebhookDeliveryList", examples: [{ deliveries: [], next_cursor: null }] });
