import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { asFields } from "../fields.ts";
import { parsedJson } from "./tokens.ts";

/** Short, because the cap can be raised at any time. */
const capPauseMs = 3_600_000;

/**
 * At the monthly cap, X returns 429 with the headers of an unused rate limit. A reset in an hour
 * replaces them: the true one is unknown, and a rejected request is free.
 */
export async function withUsageCapLimit(
  response: FetchedResponse,
  nowMs: number,
): Promise<FetchedResponse> {
  if (response.status !== 429) return response;
  const { type } = asFields(parsedJson(response));
  if (typeof type !== "string" || !type.endsWith("/usage-capped")) return response;
  // Loaded with the first request (guarded-fetch.ts).
  const { Headers } = await import("undici");
  const headers = new Headers(response.headers);
  headers.set("x-rate-limit-remaining", "0");
  headers.set("x-rate-limit-reset", String(Math.ceil((nowMs + capPauseMs) / 1_000)));
  return { ...response, headers };
}
