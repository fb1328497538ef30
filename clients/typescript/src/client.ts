import { EarshotError } from "./errors.ts";
import { type EventOptions, type JobChangeEvent, watch } from "./events.ts";
import { type ApiRequest, type ApiResponse, pause, send, type Transport } from "./request.ts";
import type {
  CountParams,
  JobList,
  JobStatus,
  PageParams,
  PostCounts,
  PostRecord,
  Proof,
  RequestOptions,
  SearchPage,
  SearchParams,
} from "./types.ts";
import { Webhooks } from "./webhooks.ts";

export type EarshotOptions = {
  key: string;
  /** Default `http://127.0.0.1:8080`. */
  url?: string;
  /** Default 5. */
  maxRetries?: number;
  /** Default: the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch;
};

export type JobResult = { records: PostRecord[]; status: JobStatus };

type Submitted = { uuid: string };

const defaultTimeoutMs = 120_000;
const waitSeconds = 20;
const proofPauseMs = 1_000;

/**
 * Retries temporary errors; an Idempotency-Key prevents double submissions. Errors: `EarshotError`,
 * `EarshotConnectionError`, or the reason of the signal.
 */
export class Earshot {
  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  constructor({ key, url = "http://127.0.0.1:8080", maxRetries = 5, fetch }: EarshotOptions) {
    this.#transport = {
      key,
      url: url.replace(/\/+$/, ""),
      maxRetries,
      fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
    this.webhooks = new Webhooks((request, options) => this.#json(request, options));
  }

  /** Returns one page, newest posts first. */
  async search(params: PageParams, options: RequestOptions = {}): Promise<SearchPage> {
    const { fields, max_chars, ...rest } = params;
    const body = {
      ...makeSubmission(rest),
      wait: waitSeconds,
      ...(fields === undefined ? {} : { fields }),
      ...(max_chars === undefined ? {} : { max_chars }),
    };
    const path = `/v1/search/${params.platform ?? "social"}`;
    const headers = idempotencyHeader(options);
    const signal = getSignal(options);
    for (;;) {
      const response = await this.#send({
        method: "POST",
        path,
        body,
        headers,
        signal,
        isRepeatable: true,
      });
      // The job is still running: the same key waits for it.
      if (response.status !== 202) return JSON.parse(response.text) as SearchPage;
    }
  }

  /** Yields the posts on all pages. */
  async *searchAll(
    params: PageParams,
    { limit = Number.POSITIVE_INFINITY, ...options }: RequestOptions & { limit?: number } = {},
  ): AsyncGenerator<PostRecord, void, undefined> {
    const { idempotencyKey: _, ...others } = options;
    let remaining = limit;
    let cursor = params.next_cursor;
    do {
      const page = await this.search(
        { ...params, ...(cursor === undefined ? {} : { next_cursor: cursor }) },
        others,
      );
      for (const record of page.results as PostRecord[]) {
        if (remaining <= 0) return;
        remaining -= 1;
        yield record;
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && remaining > 0);
  }

  /** Returns the job's uuid. */
  async submit(params: SearchParams, options: RequestOptions = {}): Promise<string> {
    const { uuid } = await this.#json<Submitted>(
      {
        method: "POST",
        path: `/v1/search/live/${params.platform ?? "social"}`,
        body: makeSubmission(params),
        headers: idempotencyHeader(options),
        isRepeatable: true,
      },
      options,
    );
    return uuid;
  }

  /** Returns a job's records and status once it has finished. */
  async wait(uuid: string, options: RequestOptions = {}): Promise<JobResult> {
    const signal = getSignal(options);
    const path = `/v1/search/live/social/result/${encodeURIComponent(uuid)}?wait=${waitSeconds}`;
    for (;;) {
      const response = await this.#send({ method: "GET", path, signal, isRepeatable: true });
      if (response.status === 200) {
        const records = JSON.parse(response.text) as PostRecord[];
        return { records, status: await this.status(uuid, { signal }) };
      }
    }
  }

  async status(uuid: string, options: RequestOptions = {}): Promise<JobStatus> {
    const path = `/v1/search/live/social/status/${encodeURIComponent(uuid)}`;
    return await this.#json<JobStatus>({ method: "GET", path, isRepeatable: true }, options);
  }

  /** Cancels an unfinished job or deletes a finished one. Succeeds for unknown jobs. */
  async cancel(uuid: string, options: RequestOptions = {}): Promise<void> {
    const path = `/v1/search/live/social/status/${encodeURIComponent(uuid)}`;
    const signal = getSignal(options);
    try {
      await this.#send({ method: "DELETE", path, signal, isRepeatable: true });
    } catch (error) {
      // The first attempt may already have deleted it.
      if (!(error instanceof EarshotError) || error.status !== 404) throw error;
    }
  }

  /**
   * Returns the proof of a result that a node signed. `verifyProof` in `earshot-client/proof`
   * verifies it.
   */
  async proof(uuid: string, options: RequestOptions = {}): Promise<Proof> {
    const signal = getSignal(options);
    const path = `/v1/search/live/social/result/${encodeURIComponent(uuid)}/proof`;
    for (;;) {
      const response = await this.#send({ method: "GET", path, signal, isRepeatable: true });
      if (response.status === 200) return JSON.parse(response.text) as Proof;
      await pause(proofPauseMs, signal);
    }
  }

  async jobs(
    params: { status?: string; method?: string; limit?: number; cursor?: string } = {},
    options: RequestOptions = {},
  ): Promise<JobList> {
    const path = `/v1/search/live/social/jobs${makeQuery(params)}`;
    return await this.#json<JobList>({ method: "GET", path, isRepeatable: true }, options);
  }

  async counts(
    { platform = "social", ...params }: CountParams,
    options: RequestOptions = {},
  ): Promise<PostCounts> {
    const path = `/v1/search/${platform}/counts${makeQuery(params)}`;
    return await this.#json<PostCounts>({ method: "GET", path, isRepeatable: true }, options);
  }

  /** Job state changes. Reconnects, and misses no final state. */
  events(options: EventOptions = {}): AsyncGenerator<JobChangeEvent, void, undefined> {
    return watch(this.#transport, options);
  }

  async #json<Body>(
    request: Omit<ApiRequest, "signal">,
    options: RequestOptions = {},
  ): Promise<Body> {
    const response = await this.#send({ ...request, signal: getSignal(options) });
    return (response.text === "" ? undefined : JSON.parse(response.text)) as Body;
  }

  async #send(request: ApiRequest): Promise<ApiResponse> {
    return await send(this.#transport, request);
  }
}

function makeSubmission({ platform = "social", method, ...rest }: SearchParams) {
  return {
    type: platform,
    arguments: { ...(method === undefined ? {} : { type: method }), ...rest },
  };
}

const idempotencyHeader = ({ idempotencyKey }: RequestOptions): Record<string, string> => ({
  "idempotency-key": idempotencyKey ?? crypto.randomUUID(),
});

function getSignal({ signal, timeoutMs = defaultTimeoutMs }: RequestOptions): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

function makeQuery(params: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
