export async function until<Value>(
  what: string,
  look: () => Promise<Value | null> | Value | null,
  patienceMs = 30_000,
): Promise<Value> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (value !== null) return value;
    if (performance.now() > end) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
