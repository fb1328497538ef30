import { unlessAborted } from "../../lib/unless-aborted.ts";

const flagCount = 1_024;

/** Shared memory that marks aborted calls for a thread. While none is free, further calls cannot be stopped early. */
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
