/**
 * Flags in memory that threads share, by which a call that is under way elsewhere is told to stop. A call has the number of
 * its flag along; it has none where so many others are under way that all flags are taken.
 */
export type StopFlags = {
  /** What the threads are started with. */
  readonly shared: Int32Array;
  /**
   * Makes a call that stops when the signal aborts: it rejects with the signal's reason at once, and the call's flag is up
   * until its thread has answered.
   */
  during<Value>(
    signal: AbortSignal | undefined,
    call: (flag: number | null) => Promise<Value>,
  ): Promise<Value>;
};

const flagCount = 1_024;

export function createStopFlags(): StopFlags {
  const shared = new Int32Array(new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT));
  const free = Array.from(shared.keys());

  async function during<Value>(
    signal: AbortSignal | undefined,
    call: (flag: number | null) => Promise<Value>,
  ): Promise<Value> {
    if (signal === undefined) return await call(null);
    signal.throwIfAborted();
    const flag = free.pop() ?? null;
    const answer = call(flag).finally(() => {
      if (flag === null) return;
      Atomics.store(shared, flag, 0);
      free.push(flag);
    });
    return await new Promise((resolve, reject) => {
      const stop = () => {
        if (flag !== null) Atomics.store(shared, flag, 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  return { shared, during };
}

/** Whether the call with this flag is to stop, as its thread asks. */
export function isStopped(shared: Int32Array, flag: number | null | undefined): boolean {
  return typeof flag === "number" && Atomics.load(shared, flag) === 1;
}
