import { Headers } from "undici";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import { fieldsOf } from "../fields.ts";
import { jsonOf } from "./tokens.ts";

/** For how long a credential rests whose application has read what it may in a month: the bound can be raised at any time. */
const restMs = 3_600_000;

/**
 * The answer with the limit that it means. Where an application has read all that it may in a month, X answers 429 with the
 * headers of a limit that is open: they are replaced by those of one that opens in an hour, as nothing tells when the month
 * of the application ends, and a refused request costs nothing.
 */
export function withTrueLimit(answer: FetchedAnswer, nowMs: number): FetchedAnswer {
  if (answer.status !== 429) return answer;
  const { type } = fieldsOf(jsonOf(answer));
  if (typeof type !== "string" || !type.endsWith("/usage-capped")) return answer;
  const headers = new Headers(answer.headers);
  headers.set("x-rate-limit-remaining", "0");
  headers.set("x-rate-limit-reset", String(Math.ceil((nowMs + restMs) / 1_000)));
  return { ...answer, headers };
}
