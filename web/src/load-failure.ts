/**
 * Errors of dashboard files that failed to load, for lack of a connection or because another
 * version, whose files have other names, is installed.
 */
const failures = new WeakSet<object>();

/** For each failed import, Vite dispatches an event with its error. */
export function watchLoadFailures(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => failures.add(payload));
}

export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && failures.has(error);
}

/** Whether the server now has other files than this page's; null if it does not respond. */
export async function isUpdated(): Promise<boolean | null> {
  const mainScript = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src;
  if (mainScript === undefined) return null;
  const response = await fetch("/dashboard", { cache: "no-store" }).catch(() => null);
  if (response === null || !response.ok) return null;
  return !(await response.text()).includes(new URL(mainScript).pathname);
}
