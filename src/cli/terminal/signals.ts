import { constants } from "node:os";
import { EarshotError } from "../../lib/errors.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The terminal and the parent process may both forward the same Ctrl-C. */
const sameSignalMs = 300;

/** A second signal ends the process immediately. */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | null = null;
  for (const name of signals) {
    process.on(name, () => {
      const now = performance.now();
      if (firstAt === null) {
        firstAt = now;
        controller.abort(interrupted(name));
      } else if (now - firstAt > sameSignalMs) {
        exitBySignal(name);
      }
    });
  }
  return controller.signal;
}

/** `process.exit` would wait for a thread in a long statement. */
export function exitBySignal(signal: (typeof signals)[number]): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // PID 1 of a container ignores its own signals.
  process.exit(128 + constants.signals[signal]);
}

function interrupted(signal: string): EarshotError {
  return new EarshotError("interrupted", `interrupted by ${signal}`, {
    hint: "run the command again; imports and backfills resume",
  });
}

export function untilStopped(stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    stopping.addEventListener("abort", () => resolve(), { once: true });
  });
}
