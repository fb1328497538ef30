import { errorMessage } from "../../lib/errors.ts";
import type { GuardedClient, StreamedResponse } from "../../lib/guarded-fetch.ts";
import type { ConnectionEnd, StreamConnection, StreamConnectionOptions } from "./connection.ts";

export type EventStreamOptions = Pick<
  StreamConnectionOptions,
  "url" | "headers" | "maxFrameBytes" | "onOpen" | "onFrame"
> & {
  client: Pick<GuardedClient, "stream">;
};

/** Timers are limited to 24.8 days. */
const maxConnectionMs = 7 * 86_400_000;

export function openEventStream(options: EventStreamOptions): StreamConnection {
  const closeController = new AbortController();
  let pausePromise: Promise<void> | null = null;
  let release = (): void => {};

  async function run(): Promise<ConnectionEnd> {
    const { url, headers = {}, client } = options;
    let response: StreamedResponse;
    try {
      response = await client.stream(url, {
        headers: { ...headers, accept: "text/event-stream" },
        signal: closeController.signal,
        timeoutMs: maxConnectionMs,
        maxBytes: Number.POSITIVE_INFINITY,
      });
    } catch (error) {
      return endBy(errorMessage(error));
    }
    const { status } = response;
    const type = response.headers.get("content-type") ?? "";
    if (status === 200 && type.startsWith("text/event-stream")) return await readEvents(response);
    await response.cancel();
    const reason = status === 200 ? "the response is not an event stream" : `HTTP ${status}`;
    return { ...endBy(reason), status };
  }

  async function readEvents({ pieces }: StreamedResponse): Promise<ConnectionEnd> {
    const parseEvents = createEventReader(options.maxFrameBytes);
    options.onOpen();
    try {
      for await (const piece of pieces) {
        while (pausePromise !== null) await pausePromise;
        let events: ReturnType<typeof parseEvents>;
        try {
          events = parseEvents(piece);
        } catch (error) {
          return { ...endBy(errorMessage(error)), frameTooLarge: true };
        }
        for (const { event, data } of events) {
          const frame = JSON.stringify({ event, payload: data });
          options.onFrame({ data: Buffer.from(frame), isBinary: false });
        }
        await yieldToEventLoop();
      }
      return endBy("closed by the server");
    } catch (error) {
      return endBy(errorMessage(error));
    }
  }

  function resume(): void {
    pausePromise = null;
    release();
  }

  return {
    closed: run(),
    pause: () => {
      pausePromise ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    resume,
    close: () => {
      closeController.abort(new Error("closed"));
      resume();
    },
  };
}

const endBy = (reason: string): ConnectionEnd => ({ reason, status: null, frameTooLarge: false });

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type ServerSentEvent = { event: string; data: string };

/**
 * Parses `text/event-stream`. Skips comments (heartbeats) and events without data. Throws for an
 * event longer than `maxLength` UTF-16 code units.
 */
export function createEventReader(maxLength: number): (piece: Uint8Array) => ServerSentEvent[] {
  const decoder = new TextDecoder();
  let line: string[] = [];
  let lineLength = 0;
  let event = "";
  let data: string[] = [];
  let dataLength = 0;
  /** CR LF may be split between pieces. */
  let endsWithCr = false;

  function add(text: string): void {
    lineLength += text.length;
    if (lineLength + dataLength > maxLength)
      throw new Error(`an event longer than ${maxLength} characters`);
    if (text !== "") line.push(text);
  }

  function finishLine(): ServerSentEvent | null {
    const text = line.join("");
    line = [];
    lineLength = 0;
    if (text === "") return finishEvent();
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") {
      data.push(value);
      dataLength += value.length + 1;
    }
    return null;
  }

  function finishEvent(): ServerSentEvent | null {
    const message = data.length === 0 ? null : { event, data: data.join("\n") };
    event = "";
    data = [];
    dataLength = 0;
    return message;
  }

  return (piece) => {
    const text = decoder.decode(piece, { stream: true });
    const events: ServerSentEvent[] = [];
    let from = 0;
    if (endsWithCr && text.startsWith("\n")) from = 1;
    if (text !== "") endsWithCr = text.endsWith("\r");
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      if (index < from) continue;
      add(text.slice(from, index));
      const message = finishLine();
      if (message !== null) events.push(message);
      from = index + end.length;
    }
    add(text.slice(from));
    return events;
  };
}
