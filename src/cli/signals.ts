import { EarshotError } from "../lib/errors.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A terminal and a parent process may both pass on one Ctrl-C: what comes this soon after the first is the same one. */
const sameSignalMs = 300;

/**
 * A signal that aborts at the first SIGINT, SIGTERM or SIGHUP, so that a command can end in order. The second one ends the
 * process at once, with the exit code that shells give to a signal.
 */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | null = null;
  const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
  for (const name of signals) {
    process.on(name, () => {
      const now = performance.now();
      if (firstAt === null) {
        firstAt = now;
        controller.abort(interrupted(name));
      } else if (now - firstAt > sameSignalMs) {
        process.exit(codes[name]);
      }
    });
  }
  return controller.signal;
}

function interrupted(signal: string): EarshotError {
  return new EarshotError("interrupted", `stopped by ${signal} before the end`, {
    hint: "run it again; an import goes on where it was",
  });
}

/** Resolves when the command is asked to stop. */
export function untilStopped(stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    stopping.addEventListener("abort", () => resolve(), { once: true });
  });
}
