import { constants } from "node:os";
import { EarshotError } from "../../lib/errors.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The terminal and the parent process may both forward the same Ctrl-C. */
const sameSignalMs = 300;

/** A second signal ends the process immediately. */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let firstSignalAt: number | null = null;
  for (const name of signals) {
    process.on(name, () => {
      const now = performance.now();
      if (firstSignalAt === null) {
        firstSignalAt = now;
        controller.abort(interruptionError(name));
      } else if (now - firstSignalAt > sameSignalMs) {
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

function interruptionError(signal: string): EarshotError {
  return new EarshotError("interrupted", `interrupted by ${signal}`, {
    hint: "run the command again; imports and backfills resume",
  });
}

export function untilStopped(stopSignal: AbortSignal): Promise<void> {
  if (stopSignal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    stopSignal.addEventListener("abort", () => resolve(), { once: true });
  });
}
