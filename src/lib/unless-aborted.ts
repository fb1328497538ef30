/** Rejects with the signal's reason, after `onAbort`; the work continues. */
export async function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  onAbort: () => void = () => undefined,
): Promise<Value> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const stop = (): void => {
      onAbort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
