import { EarshotError } from "../../lib/errors.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import type { AttemptOutcome } from "./schedule.ts";

/** Rejects only when the signal aborts. */
export type PostDelivery = (message: Message, signal: AbortSignal) => Promise<AttemptOutcome>;

export type Message = {
  url: string;
  body: string;
  fields: Readonly<Record<string, string>>;
};

/** How much of a response is read, so that the connection can be reused. */
export const maxResponseBytes = 1_024;

export function createPostDelivery(
  client: Pick<GuardedClient, "stream">,
  { timeoutMs, now }: { timeoutMs: number; now: () => number },
): PostDelivery {
  return async ({ url, body, fields }, signal) => {
    try {
      const response = await client.stream(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...fields },
        body,
        signal,
        timeoutMs,
        maxBytes: maxResponseBytes,
      });
      await drain(response.pieces);
      return statusOutcome(response.status, response.headers.get("retry-after"), now());
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "failed", status: null, error: errorReason(error), retryAfterMs: null };
    }
  };
}

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _piece of pieces);
  } catch {
    // The body is too long, truncated or too slow.
  }
}

function statusOutcome(status: number, retryAfter: string | null, nowMs: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "gone", status };
  const isRedirect = status >= 300 && status < 400;
  const error = `returned ${status}${isRedirect ? "; redirects are not followed" : ""}`;
  return { kind: "failed", status, error, retryAfterMs: requestedPauseMs(retryAfter, nowMs) };
}

function requestedPauseMs(field: string | null, nowMs: number): number | null {
  if (field === null) return null;
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1_000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Never reveals the internal address to which a name resolves. */
function errorReason(error: unknown): string {
  if (!(error instanceof EarshotError)) return "sending failed";
  if (error.code === "address_refused") return "the address is not public";
  return error.message;
}
