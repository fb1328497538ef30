import {
  type CallOptions,
  type MethodArgs,
  type Methods,
  type MethodValue,
  startThread,
  type Thread,
  type ThreadLoad,
} from "./thread.ts";

/** Each thread starts only when all before it are busy. */
export class ThreadPool<M extends Methods<M>> {
  readonly #threads: readonly Thread<M>[];

  constructor(size: number, module: URL, data: unknown) {
    this.#threads = Array.from({ length: size }, () => startThread<M>(module, data));
  }

  /** Runs on the thread with the fewest unanswered calls. */
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
