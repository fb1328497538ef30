import { errorMessage } from "../../lib/errors.ts";
import type { GuardedClient, StreamedResponse } from "../../lib/guarded-fetch.ts";
import type { ConnectionEnd, StreamConnection, StreamConnectionOptions } from "./connection.ts";
import { createEventReader } from "./event-lines.ts";

export type EventStreamOptions = Pick<
  StreamConnectionOptions,
  "url" | "headers" | "maxFrameBytes" | "onOpen" | "onFrame"
> & {
  client: Pick<GuardedClient, "stream">;
};

/** Timers are limited to 24.8 days. */
const maxConnectionMs = 7 * 86_400_000;

export function openEventStream(options: EventStreamOptions): StreamConnection {
  const closing = new AbortController();
  let paused: Promise<void> | null = null;
  let release = (): void => {};

  async function run(): Promise<ConnectionEnd> {
    const { url, headers = {}, client } = options;
    let response: StreamedResponse;
    try {
      response = await client.stream(url, {
        headers: { ...headers, accept: "text/event-stream" },
        signal: closing.signal,
        timeoutMs: maxConnectionMs,
        maxBytes: Number.POSITIVE_INFINITY,
      });
    } catch (error) {
      return endBy(errorMessage(error));
    }
    const { status } = response;
    const type = response.headers.get("content-type") ?? "";
    if (status === 200 && type.startsWith("text/event-stream")) return await read(response);
    await response.cancel();
    const reason = status === 200 ? "the response is not an event stream" : `HTTP ${status}`;
    return { ...endBy(reason), status };
  }

  async function read({ pieces }: StreamedResponse): Promise<ConnectionEnd> {
    const eventsIn = createEventReader(options.maxFrameBytes);
    options.onOpen();
    try {
      for await (const piece of pieces) {
        while (paused !== null) await paused;
        let events: ReturnType<typeof eventsIn>;
        try {
          events = eventsIn(piece);
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
    paused = null;
    release();
  }

  return {
    ended: run(),
    pause: () => {
      paused ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    resume,
    close: () => {
      closing.abort(new Error("closed"));
      resume();
    },
  };
}

const endBy = (reason: string): ConnectionEnd => ({ reason, status: null, frameTooLarge: false });

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
