/** Flags in shared memory that stop a call on another thread. A call has no flag if all are in use. */
export type StopFlags = {
  readonly shared: Int32Array;
  /** On abort, rejects at once with the signal's reason; the flag stays set until the thread has replied. */
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

export function isStopped(shared: Int32Array, flag: number | null | undefined): boolean {
  return typeof flag === "number" && Atomics.load(shared, flag) === 1;
}
