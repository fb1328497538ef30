import * as z from "zod";
import { type Api, type ApiResponse, readBody } from "./api.ts";
import { apiRecord } from "./records.ts";

type SearchArguments = {
  type: string;
  query?: string;
  max_results?: number;
  start_time?: string | undefined;
  end_time?: string | undefined;
  next_cursor?: string | undefined;
};

export type SearchRun = {
  platform: string;
  arguments: SearchArguments;
  maxChars: number | null;
};

/** The context of one tool call. `report` is called while a search is running. */
export type RunContext = {
  api: Api;
  randomUuid(): string;
  signal: AbortSignal;
  report(message: string): Promise<void>;
};

const warning = z.object({ code: z.string(), message: z.string().default("") });

const searchResponse = z.object({
  uuid: z.string(),
  results: z.array(apiRecord),
  next_cursor: z.string().nullable(),
  complete: z.boolean(),
  coverage: z
    .object({
      from: z.string().nullish(),
      to: z.string().nullish(),
      gaps: z.array(z.unknown()).default([]),
    })
    .nullish(),
  warnings: z.array(warning).default([]),
  canonical_query: z.string().nullish(),
  truncated: z
    .object({ shortened: z.array(z.string()), omitted: z.number() })
    .default({ shortened: [], omitted: 0 }),
});

export type McpSearchResponse = z.output<typeof searchResponse>;

const unfinishedResponse = z.object({ uuid: z.string() });

const waitSeconds = 10;
const maxRounds = 12;

/** Errors: those of `searchInOneCall`; `ApiError`. */
export async function runSearch(run: SearchRun, context: RunContext): Promise<McpSearchResponse> {
  return readBody(await searchInOneCall(run, "application/json", context), searchResponse);
}

/**
 * Returns a response in the format of `accept`, possibly an error. Waits for a longer search by
 * repeating the request with the same Idempotency-Key, which costs no further search; cancels the
 * search if the caller cancels the call. Errors: the signal's reason; an `Error` if the search
 * takes minutes.
 */
export async function searchInOneCall(
  { platform, arguments: searchArguments, maxChars }: SearchRun,
  accept: string,
  { api, randomUuid, signal, report }: RunContext,
): Promise<ApiResponse> {
  const request = {
    method: "POST" as const,
    path: `/v1/search/${platform}`,
    headers: { accept, "idempotency-key": randomUuid() },
    body: {
      type: platform,
      arguments: searchArguments,
      wait: waitSeconds,
      ...(maxChars === null ? {} : { max_chars: maxChars }),
    },
  };
  for (let round = 1; ; round += 1) {
    const response = await api(request);
    if (response.status !== 202) return response;
    const { uuid } = readBody(response, unfinishedResponse);
    if (signal.aborted) {
      await api({ method: "DELETE", path: `/v1/search/live/${platform}/status/${uuid}` });
      throw signal.reason;
    }
    if (round === maxRounds) {
      throw new Error(
        `the search is still running after ${round * waitSeconds} s (job ${uuid}); narrow the query or its time and search again`,
      );
    }
    await report(`still searching after ${round * waitSeconds} s`);
  }
}
