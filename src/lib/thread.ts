import { extname } from "node:path";
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from "node:worker_threads";
import { isDiskError } from "./disk-error.ts";
import { EarshotError, type ErrorDetail, messageOf } from "./errors.ts";

/**
 * Calls made in one event-loop turn are sent together, because waking a thread costs more than most calls. A thread takes all
 * waiting calls at once, to batch them into one transaction.
 */
export type ThreadCall = { id: number; method: string; args: unknown };

export type ThreadReply =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: CarriedError };

type CarriedError = {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  hint: string | undefined;
  details: readonly ErrorDetail[];
};

/** Unanswered calls, and busy time since the last start. */
export type ThreadLoad = { waiting: number; busyMs: number };

export type Thread = {
  /**
   * `transferred` buffers are moved, not copied. If the thread ends: `thread_died` for the current call, `thread_restarted` for
   * those behind it; both retryable.
   */
  call(method: string, args: unknown, transferred?: readonly ArrayBuffer[]): Promise<unknown>;
  load(): ThreadLoad;
  /** Completes pending calls first. */
  close(): Promise<void>;
};

type Waiting = {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Null until sent. */
  worker: Worker | null;
};

/** `currentCall` is a shared cell with a call's id. */
type ThreadStart = { data: unknown; currentCall: Int32Array };

/** `.ts` in a checkout, `.js` in a build. */
export function siblingModule(importMetaUrl: string, name: string): URL {
  return new URL(name + extname(importMetaUrl), importMetaUrl);
}

/** The module calls `serveThread`. If the thread dies, the next call restarts it. */
export function startThread(module: URL, data: unknown): Thread {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let worker: Worker | null = null;
  let outgoing: ThreadCall[] = [];
  let transfers: ArrayBuffer[] = [];
  let closed = false;

  function start(): Worker {
    const currentCall = new Int32Array(new SharedArrayBuffer(4));
    const threadStart: ThreadStart = { data, currentCall };
    const started = new Worker(module, { workerData: threadStart });
    let fault: unknown = null;
    started.on("message", (replies: readonly ThreadReply[]) => {
      for (const reply of replies) settle(reply);
    });
    started.on("error", (error) => {
      fault = error;
    });
    started.on("exit", () => {
      if (worker === started) worker = null;
      const lastCall = Atomics.load(currentCall, 0);
      const reason = fault === null ? "it ended" : messageOf(fault);
      for (const [id, call] of waiting) {
        if (call.worker !== started) continue;
        waiting.delete(id);
        call.reject(
          threadGone(id === lastCall ? "thread_died" : "thread_restarted", reason, fault),
        );
      }
    });
    return started;
  }

  function settle(reply: ThreadReply): void {
    const call = waiting.get(reply.id);
    if (call === undefined) return;
    waiting.delete(reply.id);
    if (reply.ok) call.resolve(reply.value);
    else call.reject(revive(reply.error));
  }

  function flush(): void {
    const [calls, moved] = [outgoing, transfers];
    outgoing = [];
    transfers = [];
    worker ??= start();
    for (const { id } of calls) {
      const call = waiting.get(id);
      if (call !== undefined) call.worker = worker;
    }
    worker.postMessage(calls, moved);
  }

  function call(
    method: string,
    args: unknown,
    transferred: readonly ArrayBuffer[] = [],
  ): Promise<unknown> {
    if (closed) return Promise.reject(threadGone("thread_closed", "it was closed", null));
    return new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject, worker: null });
      outgoing.push({ id, method, args });
      transfers.push(...transferred);
      if (outgoing.length === 1) setImmediate(flush);
    });
  }

  async function close(): Promise<void> {
    if (closed) return;
    const running = worker !== null || outgoing.length > 0;
    const ended = running ? call(closeMethod, null) : Promise.resolve();
    closed = true;
    await ended.catch(() => undefined);
    await worker?.terminate();
  }

  const load = (): ThreadLoad => ({
    waiting: waiting.size,
    busyMs: worker?.performance.eventLoopUtilization().active ?? 0,
  });

  return { call, load, close };
}

const closeMethod = "close";

/**
 * Worker side. `answer` gets all waiting calls, oldest first, and returns one reply each. `onClose` runs before the thread
 * ends.
 */
export function serveThread(
  answer: (calls: readonly ThreadCall[]) => readonly ThreadReply[],
  onClose: () => void,
): void {
  const port = parentPort;
  if (port === null) throw new Error("serveThread runs in a worker thread only");
  port.on("message", (first: readonly ThreadCall[]) => {
    const calls = [...first];
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      calls.push(...more.message);
    }
    const closing = calls.find((call) => call.method === closeMethod);
    const work = calls.filter((call) => call.method !== closeMethod);
    const replies = work.length > 0 ? [...answer(work)] : [];
    if (closing) {
      onClose();
      replies.push({ id: closing.id, ok: true, value: null });
    }
    port.postMessage(replies);
  });
}

/** Worker side for asynchronous calls, one at a time in order. */
export function serveThreadInOrder(answer: (call: ThreadCall) => Promise<unknown>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveThreadInOrder runs in a worker thread only");
  let before: Promise<void> = Promise.resolve();

  async function run(call: ThreadCall): Promise<ThreadReply> {
    if (call.method === closeMethod) return { id: call.id, ok: true, value: null };
    try {
      noteCurrentCall(call.id);
      return { id: call.id, ok: true, value: await answer(call) };
    } catch (thrown) {
      return { id: call.id, ok: false, error: carry(thrown) };
    }
  }

  async function runAfter(earlier: Promise<void>, call: ThreadCall): Promise<void> {
    await earlier;
    const done = await run(call);
    port?.postMessage([done], transferred(done));
  }

  port.on("message", (calls: readonly ThreadCall[]) => {
    for (const call of calls) before = runAfter(before, call);
  });
}

/** Calls run in slices; the thread accepts new ones in between. */
export type SlicedCalls = {
  add(call: ThreadCall): void;
  /** Runs one slice and returns the replies of finished calls. `takeArrivals` adds calls that arrived meanwhile. */
  runSlice(takeArrivals: () => void): readonly ThreadReply[];
  isIdle(): boolean;
};

/** Worker side of sliced calls. `onClose` runs after all earlier calls. */
export function serveThreadInSlices(calls: SlicedCalls, onClose: () => void): void {
  const port = parentPort;
  if (port === null) throw new Error("serveThreadInSlices runs in a worker thread only");
  let closing: ThreadCall | null = null;

  function take(arrived: readonly ThreadCall[]): void {
    for (const call of arrived) {
      if (call.method === closeMethod) closing = call;
      else calls.add(call);
    }
  }

  function takeArrivals(): void {
    for (let more = receiveMessageOnPort(port as MessagePort); more; ) {
      take(more.message);
      more = receiveMessageOnPort(port as MessagePort);
    }
  }

  port.on("message", (first: readonly ThreadCall[]) => {
    take(first);
    takeArrivals();
    while (!calls.isIdle()) {
      const replies = calls.runSlice(takeArrivals);
      if (replies.length > 0) port.postMessage(replies, replies.flatMap(transferred));
      takeArrivals();
    }
    if (closing === null) return;
    onClose();
    port.postMessage([{ id: closing.id, ok: true, value: null }]);
  });
}

/** Moves the buffer of a `{ body }` reply unless it is part of a larger one. */
function transferred(answer: ThreadReply): ArrayBuffer[] {
  if (!answer.ok || typeof answer.value !== "object" || answer.value === null) return [];
  const body = "body" in answer.value ? answer.value.body : null;
  if (!(body instanceof Uint8Array) || !(body.buffer instanceof ArrayBuffer)) return [];
  return body.byteLength === body.buffer.byteLength ? [body.buffer] : [];
}

export function threadData<Data>(): Data {
  return (workerData as ThreadStart).data as Data;
}

/** Runs a call and converts its value or error to a reply. */
export function reply(call: ThreadCall, run: (call: ThreadCall) => unknown): ThreadReply {
  try {
    noteCurrentCall(call.id);
    return { id: call.id, ok: true, value: run(call) };
  } catch (thrown) {
    return { id: call.id, ok: false, error: carry(thrown) };
  }
}

/** For a call that failed for an external reason. */
export function failedReply(call: ThreadCall, thrown: unknown): ThreadReply {
  return { id: call.id, ok: false, error: carry(thrown) };
}

function carry(thrown: unknown): CarriedError {
  if (thrown instanceof EarshotError) {
    const { code, message, status, retryable, hint, details } = thrown;
    return { code, message, status, retryable, hint, details };
  }
  return {
    code: isDiskError(thrown) ? "disk_error" : "internal",
    message: messageOf(thrown),
    status: 500,
    retryable: false,
    hint: undefined,
    details: [],
  };
}

function revive(error: CarriedError): EarshotError {
  const { code, message, status, retryable, hint, details } = error;
  return new EarshotError(code, message, {
    status,
    retryable,
    details,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Recorded in case the thread dies during the call. */
export function noteCurrentCall(id: number): void {
  const { currentCall } = (workerData ?? {}) as Partial<ThreadStart>;
  if (currentCall !== undefined) Atomics.store(currentCall, 0, id);
}

function threadGone(code: string, reason: string, cause: unknown): EarshotError {
  return new EarshotError(code, `a worker thread is gone: ${reason}`, {
    status: 503,
    retryable: true,
    cause,
  });
}
