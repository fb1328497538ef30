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
  transferred?: readonly ArrayBuffer[];
  /** On abort, rejects with the signal's reason; the thread may stop its work early. */
  signal?: AbortSignal | undefined;
};

/** `busyMs`: since the thread last started. */
export type ThreadLoad = { waiting: number; busyMs: number };

export type Thread<M extends Methods<M>> = {
  /**
   * Errors: those of the method. If the thread dies: `thread_died` for the running call, `thread_restarted` for the calls
   * behind it.
   */
  call<Name extends keyof M & string>(
    method: Name,
    args: MethodArgs<M[Name]>,
    options?: CallOptions,
  ): Promise<MethodValue<M[Name]>>;
  readonly waiting: number;
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
  readonly #waiting = new Map<number, PendingCall>();
  #nextId = 1;
  #worker: Worker | null = null;
  #outgoing: ThreadCall[] = [];
  #transfers: ArrayBuffer[] = [];
  #isClosed = false;

  constructor(module: URL, data: unknown) {
    this.#module = module;
    this.#data = data;
  }

  call<Name extends keyof M & string>(
    method: Name,
    args: MethodArgs<M[Name]>,
    { signal, transferred = [] }: CallOptions = {},
  ): Promise<MethodValue<M[Name]>> {
    const result =
      signal === undefined
        ? this.#send(method, args, transferred)
        : this.#stopFlags.runStoppable(signal, (flag) =>
            this.#send(method, args, transferred, flag),
          );
    return result as Promise<MethodValue<M[Name]>>;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  load(): ThreadLoad {
    return {
      waiting: this.waiting,
      busyMs: this.#worker?.performance.eventLoopUtilization().active ?? 0,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const isRunning = this.#worker !== null || this.#outgoing.length > 0;
    const ended = isRunning ? this.#send(closeMethod, null, []) : Promise.resolve();
    this.#isClosed = true;
    await ended.catch(() => undefined);
    await this.#worker?.terminate();
  }

  #send(
    method: string,
    args: unknown,
    transferred: readonly ArrayBuffer[],
    stopFlag?: number,
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(threadEnded("thread_closed", "it was closed", null));
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject, worker: null });
      this.#outgoing.push(
        stopFlag === undefined ? { id, method, args } : { id, method, args, stopFlag },
      );
      this.#transfers.push(...transferred);
      // Starts while the caller's turn of the event loop continues.
      this.#worker ??= this.#start();
      if (this.#outgoing.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const [calls, transferList] = [this.#outgoing, this.#transfers];
    this.#outgoing = [];
    this.#transfers = [];
    this.#worker ??= this.#start();
    for (const { id } of calls) {
      const call = this.#waiting.get(id);
      if (call !== undefined) call.worker = this.#worker;
    }
    this.#worker.postMessage(calls, transferList);
  }

  #start(): Worker {
    const currentCall = new Int32Array(new SharedArrayBuffer(4));
    const stopFlags = this.#stopFlags.shared;
    const threadStart: ThreadStart = { data: this.#data, currentCall, stopFlags };
    const started = new Worker(this.#module, { workerData: threadStart });
    let failure: unknown = null;
    started.on("message", (replies: readonly ThreadReply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    started.on("error", (error) => {
      failure = error;
    });
    started.on("exit", () => this.#handleExit(started, Atomics.load(currentCall, 0), failure));
    return started;
  }

  #settle(reply: ThreadReply): void {
    const call = this.#waiting.get(reply.id);
    if (call === undefined) return;
    this.#waiting.delete(reply.id);
    if (reply.ok) call.resolve(reply.value);
    else call.reject(deserializeError(reply.error));
  }

  #handleExit(ended: Worker, lastCall: number, failure: unknown): void {
    if (this.#worker === ended) this.#worker = null;
    const reason = failure === null ? "unexpected exit" : errorMessage(failure);
    for (const [id, call] of this.#waiting) {
      if (call.worker !== ended) continue;
      this.#waiting.delete(id);
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
  readonly shared = new Int32Array(new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT));
  readonly #free = Array.from(this.shared.keys());

  /** Rejects immediately on abort, but the flag stays set until the thread has replied. */
  async runStoppable<Value>(
    signal: AbortSignal,
    call: (flag: number | undefined) => Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    const flag = this.#free.pop();
    const result = call(flag).finally(() => {
      if (flag === undefined) return;
      Atomics.store(this.shared, flag, 0);
      this.#free.push(flag);
    });
    return await unlessAborted(result, signal, () => {
      if (flag !== undefined) Atomics.store(this.shared, flag, 1);
    });
  }
}

export const isStopped = (shared: Int32Array, flag: number | undefined): boolean =>
  flag !== undefined && Atomics.load(shared, flag) === 1;

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
    const thread = this.#threads.reduce((a, b) => (b.waiting < a.waiting ? b : a));
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
      waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
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
