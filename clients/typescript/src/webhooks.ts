import type { Sent } from "./request.ts";
import type { RequestOptions, Webhook, WebhookDelivery, WebhookWithSecret } from "./types.ts";

type SendJson = <Body>(sent: Omit<Sent, "signal">, options?: RequestOptions) => Promise<Body>;

export type NewWebhook = { url: string; events?: string[] };

const read = { method: "GET", isRepeatable: true } as const;

/** Notifications of ended jobs. Verify what they send with `verifyWebhook`. */
export class Webhooks {
  readonly #send: SendJson;

  constructor(send: SendJson) {
    this.#send = send;
  }

  /** The secret is in this answer only. */
  create(webhook: NewWebhook, options?: RequestOptions): Promise<WebhookWithSecret> {
    const sent = {
      method: "POST",
      path: "/v1/webhooks",
      body: webhook,
      isRepeatable: false,
    } as const;
    return this.#send(sent, options);
  }

  async list(options?: RequestOptions): Promise<Webhook[]> {
    const { webhooks } = await this.#send<{ webhooks: Webhook[] }>(
      { ...read, path: "/v1/webhooks" },
      options,
    );
    return webhooks;
  }

  get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#send({ ...read, path: pathOf(id) }, options);
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#send({ method: "DELETE", path: pathOf(id), isRepeatable: true }, options);
  }

  /** Sends a test event to it. */
  test(id: string, options?: RequestOptions): Promise<unknown> {
    const sent = { method: "POST", path: `${pathOf(id)}/test`, isRepeatable: false } as const;
    return this.#send(sent, options);
  }

  async deliveries(id: string, options?: RequestOptions): Promise<WebhookDelivery[]> {
    const { deliveries } = await this.#send<{ deliveries: WebhookDelivery[] }>(
      { ...read, path: `${pathOf(id)}/deliveries` },
      options,
    );
    return deliveries;
  }
}

const pathOf = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`;
