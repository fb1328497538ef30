import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { unlessAborted } from "../../lib/abortable-wait.ts";
import { errorMessage } from "../../lib/errors.ts";
import {
  closeMethod,
  deserializeError,
  type ThreadCall,
  type ThreadReply,
  type ThreadStart,
  threadEnded,
} from "./messages.ts";

export type Methods<M> = { readonly [Name in keyof M]: (args: never) => unknown };

export type MethodArgs<F> = F extends (...args: infer Args) => unknown
  ? Args extends [infer Only]
    ? Only
    : null
  : never;
export type MethodValue<F> = F extends (...args: never) => infer Value ? Awaited<Value> : never;

type CallOptions = {
  transferList?: readonly ArrayBuffer[];
  /** On abort, rejects with the signal's reason; the thread may stop its work early. */
  signal?: AbortSignal | undefined;
};

/** `busyMs`: since the thread last started. */
export type ThreadLoad = { pendingCount: number; busyMs: number };

export type Thread<M extends Methods<M>> = {
  /**
   * Errors: those of the method; `thread_closed`; if the thread dies, `thread_died` for the running
   * call, `thread_restarted` for those behind it.
   */
  call<Name extends keyof M & string>(
    method: Name,
    args: MethodArgs<M[Name]>,
    options?: CallOptions,
  ): Promise<MethodValue<M[Name]>>;
  readonly pendingCount: number;
  load(): ThreadLoad;
  close(): Promise<void>;
};

type PendingCall = {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  worker: Worker | null;
};

/** Adds the extension: `.ts` in a checkout, `.js` in a build. */
export function siblingModule(importMetaUrl: string, name: string): URL {
  return new URL(name + extname(importMetaUrl), importMetaUrl);
}

/**
 * Loads the module at the first call, and again after the thread has died. Sends the calls made in
 * one tick together, because waking a thread costs more than most calls.
 */
export function startThread<M extends Methods<M>>(module: URL, data: unknown): Thread<M> {
  return new WorkerThread<M>(module, data);
}

class WorkerThread<M extends Methods<M>> implements Thread<M> {
  readonly #module: URL;
  readonly #data: unknown;
  readonly #stopFlags = new StopFlags();
  readonly #pendingCalls = new Map<number, PendingCall>();
  #nextId = 1;
  #worker: Worker | null = null;
  #outgoingCalls: ThreadCall[] = [];
  #transfers: ArrayBuffer[] = [];
  #isClosed = false;

  constructor(module: URL, data: unknown) {
    this.#module = module;
    this.#data = data;
  }

  call<Name extends keyof M & string>(
    method: Name,
    args: MethodArgs<M[Name]>,
    { signal, transferList = [] }: CallOptions = {},
  ): Promise<MethodValue<M[Name]>> {
    const result =
      signal === undefined
        ? this.#send(method, args, transferList)
        : this.#stopFlags.runStoppable(signal, (flag) =>
            this.#send(method, args, transferList, flag),
          );
    return result as Promise<MethodValue<M[Name]>>;
  }

  get pendingCount(): number {
    return this.#pendingCalls.size;
  }

  load(): ThreadLoad {
    return {
      pendingCount: this.pendingCount,
      busyMs: this.#worker?.performance.eventLoopUtilization().active ?? 0,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const isRunning = this.#worker !== null || this.#outgoingCalls.length > 0;
    const closeReply = isRunning ? this.#send(closeMethod, null, []) : Promise.resolve();
    this.#isClosed = true;
    await closeReply.catch(() => undefined);
    await this.#worker?.terminate();
  }

  #send(
    method: string,
    args: unknown,
    transferList: readonly ArrayBuffer[],
    stopFlag?: number,
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(threadEnded("thread_closed", "it was closed", null));
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#pendingCalls.set(id, { resolve, reject, worker: null });
      this.#outgoingCalls.push(
        stopFlag === undefined ? { id, method, args } : { id, method, args, stopFlag },
      );
      this.#transfers.push(...transferList);
      // Starts while the caller's turn of the event loop continues.
      this.#worker ??= this.#start();
      if (this.#outgoingCalls.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const [calls, transferList] = [this.#outgoingCalls, this.#transfers];
    this.#outgoingCalls = [];
    this.#transfers = [];
    this.#worker ??= this.#start();
    for (const { id } of calls) {
      const call = this.#pendingCalls.get(id);
      if (call !== undefined) call.worker = this.#worker;
    }
    this.#worker.postMessage(calls, transferList);
  }

  #start(): Worker {
    const currentCall = new Int32Array(new SharedArrayBuffer(4));
    const stopFlags = this.#stopFlags.sharedFlags;
    const threadStart: ThreadStart = { data: this.#data, currentCall, stopFlags };
    const worker = new Worker(this.#module, { workerData: threadStart });
    let failure: unknown = null;
    worker.on("message", (replies: readonly ThreadReply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => this.#handleExit(worker, Atomics.load(currentCall, 0), failure));
    return worker;
  }

  #settle(reply: ThreadReply): void {
    const call = this.#pendingCalls.get(reply.id);
    if (call === undefined) return;
    this.#pendingCalls.delete(reply.id);
    if (reply.ok) call.resolve(reply.value);
    else call.reject(deserializeError(reply.error));
  }

  #handleExit(exitedWorker: Worker, lastCall: number, failure: unknown): void {
    if (this.#worker === exitedWorker) this.#worker = null;
    const reason = failure === null ? "unexpected exit" : errorMessage(failure);
    for (const [id, call] of this.#pendingCalls) {
      if (call.worker !== exitedWorker) continue;
      this.#pendingCalls.delete(id);
      const code = id === lastCall ? "thread_died" : "thread_restarted";
      call.reject(threadEnded(code, reason, failure));
    }
  }
}

const flagCount = 1_024;

/**
 * Flags in shared memory that mark aborted calls for a thread. While no flag is free, further calls
 * cannot be stopped early.
 */
export class StopFlags {
  readonly sharedFlags = new Int32Array(
    new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT),
  );
  readonly #freeFlags = Array.from(this.sharedFlags.keys());

  /** Rejects immediately on abort, but the flag stays set until the thread has replied. */
  async runStoppable<Value>(
    signal: AbortSignal,
    call: (flag: number | undefined) => Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    const flag = this.#freeFlags.pop();
    const result = call(flag).finally(() => {
      if (flag === undefined) return;
      Atomics.store(this.sharedFlags, flag, 0);
      this.#freeFlags.push(flag);
    });
    return await unlessAborted(result, signal, () => {
      if (flag !== undefined) Atomics.store(this.sharedFlags, flag, 1);
    });
  }
}

export const isStopped = (flags: Int32Array, flag: number | undefined): boolean =>
  flag !== undefined && Atomics.load(flags, flag) === 1;

/** Each thread starts only once all threads before it are busy. */
export class ThreadPool<M extends Methods<M>> {
  readonly #threads: readonly Thread<M>[];

  constructor(size: number, module: URL, data: unknown) {
    this.#threads = Array.from({ length: size }, () => startThread<M>(module, data));
  }

  async call<Name extends keyof M & string>(
    method: Name,
    args: MethodArgs<M[Name]>,
    options?: CallOptions,
  ): Promise<MethodValue<M[Name]>> {
    const thread = this.#threads.reduce((a, b) => (b.pendingCount < a.pendingCount ? b : a));
    return await thread.call(method, args, options);
  }

  get first(): Thread<M> {
    return this.#at(0);
  }

  get last(): Thread<M> {
    return this.#at(-1);
  }

  load(): ThreadLoad {
    const loads = this.#threads.map((thread) => thread.load());
    return {
      pendingCount: loads.reduce((sum, { pendingCount }) => sum + pendingCount, 0),
      busyMs: loads.reduce((sum, { busyMs }) => sum + busyMs, 0),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #at(index: number): Thread<M> {
    const thread = this.#threads.at(index);
    if (thread === undefined) throw new RangeError("the pool has no threads");
    return thread;
  }
}
