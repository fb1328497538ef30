export async function until<Value>(
  what: string,
  check: () => Promise<Value | null> | Value | null,
  timeoutMs = 30_000,
): Promise<Value> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== null) return value;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
