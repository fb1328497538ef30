import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { Clock } from "../../lib/clock.ts";
import type { Guard } from "../../lib/guard.ts";
import type { Frame } from "./frames.ts";

export type StreamConnection = {
  /** Never rejects. */
  closed: Promise<ConnectionEnd>;
  pause(): void;
  resume(): void;
  close(): void;
};

export type ConnectionEnd = {
  reason: string;
  status: number | null;
  /** True if the client closed the connection (1009) because of `maxFrameBytes`. */
  frameTooLarge: boolean;
};

export type StreamConnectionOptions = {
  url: URL;
  guard: Guard;
  clock: Clock;
  userAgent: string;
  headers?: Readonly<Record<string, string>>;
  redactText?: (text: string) => string;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  maxFrameBytes: number;
  onOpen(): void;
  onFrame(frame: Frame): void;
};

export function openStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { url, clock, idleTimeoutMs, redactText = (text) => text } = options;
  let socket: WebSocket;
  try {
    socket = new WebSocket(url, {
      lookup: options.guard.lookupFor(url),
      headers: { ...options.headers, "user-agent": options.userAgent },
      handshakeTimeout: options.handshakeTimeoutMs,
      maxPayload: options.maxFrameBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
  } catch (error) {
    return {
      closed: Promise.resolve({ reason: errorReason(error), status: null, frameTooLarge: false }),
      pause: () => {},
      resume: () => {},
      close: () => {},
    };
  }

  const watchAbort = new AbortController();
  let isPaused = false;
  let isYielding = false;
  let framesInTurn = 0;
  let turnStartMs = 0;
  let reason: string | null = null;
  let status: number | null = null;
  let frameTooLarge = false;
  let lastActivityMs = clock.elapsed();
  const recordActivity = (): void => {
    lastActivityMs = clock.elapsed();
  };

  const closed = new Promise<ConnectionEnd>((resolve) => {
    socket.on("close", (code, text) => {
      watchAbort.abort();
      const closeText = [code, redactText(text.toString("utf8"))].join(" ").trim();
      resolve({ reason: reason ?? `closed by the server (${closeText})`, status, frameTooLarge });
    });
  });
  socket.on("error", (error) => {
    reason ??= errorReason(error);
    frameTooLarge ||= "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
  });
  socket.on("unexpected-response", (request, response) => {
    status = response.statusCode ?? null;
    void responseRefusal(response, redactText).then((refusal) => {
      reason ??= refusal;
      request.destroy();
      socket.terminate();
    });
  });
  socket.on("open", () => {
    recordActivity();
    options.onOpen();
  });
  socket.on("ping", recordActivity);
  socket.on("pong", recordActivity);
  socket.on("message", (data, isBinary) => {
    recordActivity();
    countFrame();
    if (Buffer.isBuffer(data)) options.onFrame({ data, isBinary });
  });

  /**
   * One read can deliver megabytes, so reading yields to the event loop after many or slow frames.
   */
  function countFrame(): void {
    framesInTurn += 1;
    if (framesInTurn === 1) {
      turnStartMs = clock.elapsed();
      setImmediate(beginTurn);
    }
    const isOver = framesInTurn >= maxFramesPerTurn || clock.elapsed() - turnStartMs > maxTurnMs;
    if (!isOver || isYielding) return;
    isYielding = true;
    socket.pause();
  }

  function beginTurn(): void {
    framesInTurn = 0;
    if (!isYielding) return;
    isYielding = false;
    if (!isPaused) socket.resume();
  }

  async function watch(): Promise<void> {
    while (!watchAbort.signal.aborted) {
      await clock.sleep(idleTimeoutMs / 3, watchAbort.signal);
      // Silence while reading is paused means nothing.
      if (socket.isPaused) recordActivity();
      if (clock.elapsed() - lastActivityMs >= idleTimeoutMs) {
        reason ??= `no traffic for ${Math.round(idleTimeoutMs / 1000)} s`;
        socket.terminate();
        return;
      }
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }
  watch().catch(() => {});

  return {
    closed,
    pause: () => {
      isPaused = true;
      socket.pause();
    },
    resume: () => {
      isPaused = false;
      if (!isYielding) socket.resume();
    },
    close: () => socket.terminate(),
  };
}

const maxFramesPerTurn = 100;
const maxTurnMs = 10;
const maxRefusalLength = 300;

async function responseRefusal(
  response: IncomingMessage,
  redactText: (text: string) => string,
): Promise<string> {
  let body = "";
  response.setEncoding("utf8");
  try {
    for await (const piece of response) {
      body += piece;
      if (body.length >= maxRefusalLength) break;
    }
  } catch {
    // The part of the body received so far suffices.
  }
  const reason = redactText(body)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, maxRefusalLength);
  return `HTTP ${response.statusCode}${reason === "" ? "" : `: ${reason}`}`;
}

function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("syscall" in error && "code" in error) return `${error.syscall} ${error.code}`;
  if (error instanceof AggregateError && error.errors.length > 0)
    return errorReason(error.errors[0]);
  return error.message;
}
