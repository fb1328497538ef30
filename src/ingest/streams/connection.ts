import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { Clock } from "../../lib/clock.ts";
import type { Guard } from "../../lib/guard.ts";
import type { Frame } from "./frames.ts";

/** One connection to a stream of frames, from its beginning to its end. */
export type StreamConnection = {
  /** Resolves when the connection has ended, or could not be made; never rejects. */
  ended: Promise<ConnectionEnd>;
  /** Stops and goes on reading from the network; some frames that are here already may still come. */
  pause(): void;
  resume(): void;
  close(): void;
};

export type ConnectionEnd = {
  reason: string;
  /** The HTTP status of a server that opened no stream; null where it did, or gave none. */
  status: number | null;
  /** Whether it was ended here (1009) because a frame was longer than `maxFrameBytes`. */
  frameTooLarge: boolean;
};

export type StreamConnectionOptions = {
  url: URL;
  guard: Guard;
  clock: Clock;
  userAgent: string;
  /** Sent with the handshake. */
  headers?: Readonly<Record<string, string>>;
  /** What of the server's own words is told in a reason; all of them when absent. */
  toldWords?: (words: string) => string;
  handshakeTimeoutMs: number;
  /** With no frame and no answer to a ping for as long, the connection is given up. */
  idleTimeoutMs: number;
  maxFrameBytes: number;
  onOpen(): void;
  onFrame(frame: Frame): void;
};

export function openStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { url, clock, idleTimeoutMs, toldWords = (words) => words } = options;
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
  } catch (fault) {
    return {
      ended: Promise.resolve({ reason: reasonOf(fault), status: null, frameTooLarge: false }),
      pause: () => {},
      resume: () => {},
      close: () => {},
    };
  }

  const over = new AbortController();
  /** Paused by the owner; and until the event loop has gone round. */
  let isHeld = false;
  let isResting = false;
  let framesOfTurn = 0;
  let turnBeganMs = 0;
  let reason: string | null = null;
  let status: number | null = null;
  let frameTooLarge = false;
  let lastSignMs = clock.elapsed();
  const sign = (): void => {
    lastSignMs = clock.elapsed();
  };

  const ended = new Promise<ConnectionEnd>((resolve) => {
    socket.on("close", (code, text) => {
      over.abort();
      const closing = [code, toldWords(text.toString("utf8"))].join(" ").trim();
      resolve({ reason: reason ?? `closed by the server (${closing})`, status, frameTooLarge });
    });
  });
  socket.on("error", (fault) => {
    reason ??= reasonOf(fault);
    frameTooLarge ||= "code" in fault && fault.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
  });
  socket.on("unexpected-response", (request, response) => {
    status = response.statusCode ?? null;
    void refusalOf(response, toldWords).then((refusal) => {
      reason ??= refusal;
      request.destroy();
      socket.terminate();
    });
  });
  socket.on("open", () => {
    sign();
    options.onOpen();
  });
  socket.on("ping", sign);
  socket.on("pong", sign);
  socket.on("message", (data, isBinary) => {
    sign();
    countFrame();
    if (Buffer.isBuffer(data)) options.onFrame({ data, isBinary });
  });

  /** The network can hand over megabytes at once; after some frames, or some slow ones, everything else has its turn. */
  function countFrame(): void {
    framesOfTurn += 1;
    if (framesOfTurn === 1) {
      turnBeganMs = clock.elapsed();
      setImmediate(beginTurn);
    }
    const isOver = framesOfTurn >= mostFramesOfTurn || clock.elapsed() - turnBeganMs > turnMs;
    if (!isOver || isResting) return;
    isResting = true;
    socket.pause();
  }

  function beginTurn(): void {
    framesOfTurn = 0;
    if (!isResting) return;
    isResting = false;
    if (!isHeld) socket.resume();
  }

  async function watch(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(idleTimeoutMs / 3, over.signal);
      // Nothing is read while paused, so silence says nothing.
      if (socket.isPaused) sign();
      if (clock.elapsed() - lastSignMs >= idleTimeoutMs) {
        reason ??= `no sign of life for ${Math.round(idleTimeoutMs / 1000)} s`;
        socket.terminate();
        return;
      }
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }
  // Ends by the abort when the connection is over.
  watch().catch(() => {});

  return {
    ended,
    pause: () => {
      isHeld = true;
      socket.pause();
    },
    resume: () => {
      isHeld = false;
      if (!isResting) socket.resume();
    },
    close: () => socket.terminate(),
  };
}

/** Some milliseconds of work, also where each frame must be decompressed; what was read with them still comes. */
const mostFramesOfTurn = 100;
const turnMs = 10;
const refusalBytes = 300;

/** The status of a refused handshake, with the first words of its body. */
async function refusalOf(
  response: IncomingMessage,
  toldWords: (words: string) => string,
): Promise<string> {
  let body = "";
  response.setEncoding("utf8");
  try {
    for await (const piece of response) {
      body += piece;
      if (body.length >= refusalBytes) break;
    }
  } catch {
    // What came until then is told.
  }
  const words = toldWords(body)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, refusalBytes);
  return `HTTP ${response.statusCode}${words === "" ? "" : `: ${words}`}`;
}

/** `getaddrinfo ENOTFOUND` where the system names call and code, without the host that the message repeats. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if ("syscall" in fault && "code" in fault) return `${fault.syscall} ${fault.code}`;
  // Several addresses were tried: the first tells enough.
  if (fault instanceof AggregateError && fault.errors.length > 0) return reasonOf(fault.errors[0]);
  return fault.message;
}
