export async function until<Value>(
  what: string,
  check: () => Promise<Value | null> | Value | null,
  timeoutMs = 30_000,
): Promise<Value> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== null) return value;
    if (performance.now() > deadlineMs) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
