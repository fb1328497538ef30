import { EarshotConnectionError, EarshotError } from "./errors.ts";
import { open, pause, type Transport } from "./request.ts";
import type { JobChange } from "./types.ts";

export type EventOptions = {
  /** Watches one job, until it finishes. */
  uuid?: string;
  /** The `id` of the last event seen; "0" begins with all stored jobs. */
  lastEventId?: string;
  signal?: AbortSignal;
};

export type JobChangeEvent = { id: string | null; change: JobChange };

const defaultRetryMs = 3_000;
const finalStates: readonly string[] = ["done", "error", "cancelled", "expired"];

/** Resumes after the last event until the watched job has finished. */
export async function* watch(
  transport: Transport,
  { uuid, lastEventId, signal = new AbortController().signal }: EventOptions,
): AsyncGenerator<JobChangeEvent, void, undefined> {
  let lastId = lastEventId ?? null;
  let retryMs = defaultRetryMs;
  for (;;) {
    const path = `/v1/search/live/social/events${uuid === undefined ? "" : `?uuid=${encodeURIComponent(uuid)}`}`;
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (lastId !== null) headers["last-event-id"] = lastId;
    const response = await open(transport, {
      method: "GET",
      path,
      headers,
      signal,
      isRepeatable: true,
    });
    try {
      for await (const fields of responseEvents(response)) {
        if (fields.retry !== undefined) retryMs = Number(fields.retry);
        lastId = fields.id ?? lastId;
        if (fields.data === undefined) continue;
        const change = JSON.parse(fields.data) as JobChange;
        yield { id: fields.id ?? null, change };
        if (uuid !== undefined && finalStates.includes(change.status)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EarshotError || error instanceof EarshotConnectionError) throw error;
    }
    await pause(retryMs, signal);
  }
}

type Fields = { id?: string; data?: string; retry?: string };

async function* responseEvents(response: Response): AsyncGenerator<Fields, void, undefined> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield decodeFields(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function decodeFields(block: string): Fields {
  const fields: Fields = {};
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(id|data|retry): ?(.*)$/.exec(line) ?? [];
    if (name === "data")
      fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === "id" || name === "retry") fields[name] = value;
  }
  return fields;
}
