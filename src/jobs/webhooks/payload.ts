import type { Database, Steps } from "../../db/statements.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { WebhookEvent } from "./webhook.ts";

type EndedRow = {
  status: string;
  error: string | null;
  platform: string;
  type: string;
  method: string;
  count: number | null;
  complete: number | string | null;
  submittedMs: number;
  finishedMs: number | null;
  expiresMs: number | null;
  attempts: number;
};

export function* jobPayload(
  database: Database,
  uuid: string,
  event: WebhookEvent,
  nowMs: number,
): Steps<string | null> {
  const row = yield* database.get<EndedRow>(
    `SELECT state AS status, failure ->> '$.message' AS error, request ->> '$.platform' AS platform,
            request ->> '$.type' AS type, request ->> '$.method' AS method,
            json_array_length(result, '$.positions') AS count, result ->> '$.complete' AS complete,
            submitted_ms AS submittedMs, finished_ms AS finishedMs, expires_ms AS expiresMs, attempts
     FROM job WHERE uuid = :uuid`,
    { uuid },
  );
  if (row === undefined) return null;
  const { status, error, platform, type, method, count, complete, attempts } = row;
  const hasResult = count !== null;
  return encodePayload(event, nowMs, {
    uuid,
    status,
    error: error ?? "",
    platform,
    type,
    method,
    count,
    complete: complete === null ? null : Number(complete) === 1,
    submitted_at: isoTime(row.submittedMs),
    finished_at: isoOrNull(row.finishedMs),
    expires_at: isoOrNull(row.expiresMs),
    attempts,
    result_url: hasResult ? `/v1/search/live/${platform}/result/${uuid}` : null,
  });
}

export function testPayload(webhookId: string, nowMs: number): string {
  return encodePayload("webhook.test", nowMs, { webhook_id: webhookId });
}

function encodePayload(type: WebhookEvent, nowMs: number, data: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: isoTime(nowMs), data });
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
