import type { ApiRequest } from "./request.ts";
import type { RequestOptions, Webhook, WebhookDelivery, WebhookWithSecret } from "./types.ts";

type SendJson = <Body>(
  request: Omit<ApiRequest, "signal">,
  options?: RequestOptions,
) => Promise<Body>;

export type NewWebhook = { url: string; events?: string[] };

const getRequest = { method: "GET", isRepeatable: true } as const;

/** Notifies your server when jobs finish. Verify each notification with `verifyWebhook`. */
export class Webhooks {
  readonly #send: SendJson;

  constructor(send: SendJson) {
    this.#send = send;
  }

  /** Only this response contains the secret. */
  create(webhook: NewWebhook, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#post("/v1/webhooks", { body: webhook }, options);
  }

  async list(options?: RequestOptions): Promise<Webhook[]> {
    const { webhooks } = await this.#send<{ webhooks: Webhook[] }>(
      { ...getRequest, path: "/v1/webhooks" },
      options,
    );
    return webhooks;
  }

  get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#send({ ...getRequest, path: makePath(id) }, options);
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#send({ method: "DELETE", path: makePath(id), isRepeatable: true }, options);
  }

  /** Enables a webhook that was disabled after failures. */
  enable(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#post(`${makePath(id)}/enable`, { isRepeatable: true }, options);
  }

  /**
   * Only this response contains the new secret. The former secret also signs until
   * `former_secret_until`.
   */
  replaceSecret(id: string, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#post(`${makePath(id)}/secret`, {}, options);
  }

  /** Sends a test event, and returns its delivery. */
  test(id: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#post(`${makePath(id)}/test`, {}, options);
  }

  /** Newest first. */
  async deliveries(id: string, options?: RequestOptions): Promise<WebhookDelivery[]> {
    const { deliveries } = await this.#send<{ deliveries: WebhookDelivery[] }>(
      { ...getRequest, path: `${makePath(id)}/deliveries` },
      options,
    );
    return deliveries;
  }

  replay(id: string, delivery: string, options?: RequestOptions): Promise<WebhookDelivery> {
    const path = `${makePath(id)}/deliveries/${encodeURIComponent(delivery)}/replay`;
    return this.#post(path, {}, options);
  }

  #post<Body>(
    path: string,
    request: { body?: unknown; isRepeatable?: true },
    options?: RequestOptions,
  ): Promise<Body> {
    return this.#send({ isRepeatable: false, ...request, method: "POST", path }, options);
  }
}

const makePath = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`;
