/** Errors of dashboard files that failed to load: no connection, or another installed version, whose files have other names. */
const failures = new WeakSet<object>();

/** Vite reports each failed import by an event with the error of the import. */
export function watchLoadFailures(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => failures.add(payload));
}

export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && failures.has(error);
}

/** Whether the server has other files than this page was loaded with; null if it does not respond. */
export async function isUpdated(): Promise<boolean | null> {
  const mainScript = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src;
  if (mainScript === undefined) return null;
  const response = await fetch("/dashboard", { cache: "no-store" }).catch(() => null);
  if (response === null || !response.ok) return null;
  return !(await response.text()).includes(new URL(mainScript).pathname);
}
