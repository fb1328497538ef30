import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import {
  closeMethod,
  serializeError,
  type ThreadCall,
  type ThreadReply,
  type ThreadStart,
} from "./messages.ts";
import { isStopped, type Methods } from "./thread.ts";

export function threadData<Data>(): Data {
  return (workerData as ThreadStart).data as Data;
}

export function isCancelled({ stopFlag }: ThreadCall): boolean {
  return stopFlag !== undefined && isStopped((workerData as ThreadStart).stopFlags, stopFlag);
}

export function serveMethods<M extends Methods<M>>(methods: M, onClose: () => void): void {
  serveBatches(
    (calls) => calls.map((call) => reply(call, () => runMethod(methods, call))),
    onClose,
  );
}

/** `run` replies to all pending calls, oldest first. */
export function serveBatches(
  run: (calls: readonly ThreadCall[]) => readonly ThreadReply[],
  onClose: () => void,
): void {
  const pendingCalls: ThreadCall[] = [];
  serveInSlices(
    {
      add: (call) => pendingCalls.push(call),
      runSlice: () => run(pendingCalls.splice(0)),
      isIdle: () => pendingCalls.length === 0,
    },
    onClose,
  );
}

export function serveInOrder<M extends Methods<M>>(methods: M): void {
  const port = threadPort();
  let previousCall: Promise<void> = Promise.resolve();

  async function run(call: ThreadCall): Promise<ThreadReply> {
    if (call.method === closeMethod) return { id: call.id, ok: true, value: null };
    try {
      recordCurrentCall(call.id);
      return { id: call.id, ok: true, value: await runMethod(methods, call) };
    } catch (thrown) {
      return failedReply(call, thrown);
    }
  }

  async function runAfter(earlierCall: Promise<void>, call: ThreadCall): Promise<void> {
    await earlierCall;
    const reply = await run(call);
    port.postMessage([reply], transferListOf(reply));
  }

  port.on("message", (calls: readonly ThreadCall[]) => {
    for (const call of calls) previousCall = runAfter(previousCall, call);
  });
}

/** `close` must wait for running calls. */
export function serveConcurrently(
  runCall: (call: ThreadCall) => Promise<unknown>,
  close: () => Promise<void>,
): void {
  const port = threadPort();
  let replies: ThreadReply[] = [];

  /** Replies are sent together: waking a thread costs more than most calls. */
  function send(reply: ThreadReply): void {
    replies.push(reply);
    if (replies.length > 1) return;
    setImmediate(() => {
      const batch = replies;
      replies = [];
      port.postMessage(batch, batch.flatMap(transferListOf));
    });
  }

  async function run(call: ThreadCall): Promise<void> {
    try {
      if (call.method === closeMethod) await close();
      const value = call.method === closeMethod ? null : await runCall(call);
      send({ id: call.id, ok: true, value });
    } catch (thrown) {
      send(failedReply(call, thrown));
    }
  }

  port.on("message", (calls: readonly ThreadCall[]) => {
    for (const call of calls) void run(call);
  });
}

/** New calls are accepted between slices. */
export type SlicedCalls = {
  add(call: ThreadCall): void;
  /** `receiveCalls` adds the calls that have arrived during the slice. */
  runSlice(receiveCalls: () => void): readonly ThreadReply[];
  isIdle(): boolean;
};

/** `onClose` runs after all earlier calls. */
export function serveInSlices(calls: SlicedCalls, onClose: () => void): void {
  const port = threadPort();
  let closeCall: ThreadCall | null = null;

  function accept(receivedCalls: readonly ThreadCall[]): void {
    for (const call of receivedCalls) {
      if (call.method === closeMethod) closeCall = call;
      else calls.add(call);
    }
  }

  function receiveCalls(): void {
    for (let message = receiveMessageOnPort(port); message; message = receiveMessageOnPort(port)) {
      accept(message.message);
    }
  }

  port.on("message", (firstCalls: readonly ThreadCall[]) => {
    accept(firstCalls);
    receiveCalls();
    while (!calls.isIdle()) {
      const replies = calls.runSlice(receiveCalls);
      if (replies.length > 0) port.postMessage(replies, replies.flatMap(transferListOf));
      receiveCalls();
    }
    if (closeCall === null) return;
    onClose();
    port.postMessage([{ id: closeCall.id, ok: true, value: null }]);
  });
}

function runMethod<M extends Methods<M>>(methods: M, { method, args }: ThreadCall): unknown {
  const run: ((args: never) => unknown) | undefined = methods[method as keyof M];
  if (run === undefined) throw new Error(`the thread has no method ${method}`);
  return run(args as never);
}

export function reply(call: ThreadCall, run: (call: ThreadCall) => unknown): ThreadReply {
  try {
    recordCurrentCall(call.id);
    return { id: call.id, ok: true, value: run(call) };
  } catch (thrown) {
    return failedReply(call, thrown);
  }
}

export function failedReply(call: ThreadCall, thrown: unknown): ThreadReply {
  return { id: call.id, ok: false, error: serializeError(thrown) };
}

export function recordCurrentCall(id: number): void {
  const { currentCall } = (workerData ?? {}) as Partial<ThreadStart>;
  if (currentCall !== undefined) Atomics.store(currentCall, 0, id);
}

function threadPort(): MessagePort {
  if (parentPort === null) throw new Error("calls are served in a worker thread only");
  return parentPort;
}

/** The buffer of `body`, unless `body` is only a part of it. */
function transferListOf(reply: ThreadReply): ArrayBuffer[] {
  if (!reply.ok || typeof reply.value !== "object" || reply.value === null) return [];
  const body = "body" in reply.value ? reply.value.body : null;
  if (!(body instanceof Uint8Array) || !(body.buffer instanceof ArrayBuffer)) return [];
  return body.byteLength === body.buffer.byteLength ? [body.buffer] : [];
}
