import { constants } from "node:os";
import { EarshotError } from "../lib/errors.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A terminal and a parent process may both pass on one Ctrl-C: what comes this soon after the first is the same one. */
const sameSignalMs = 300;

/**
 * A signal that aborts at the first SIGINT, SIGTERM or SIGHUP, so that a command can end in order. The second one ends the
 * process at once, as that signal does by itself.
 */
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
        endAtOnce(name);
      }
    });
  }
  return controller.signal;
}

/** Ends this process by a signal: to exit would wait for a thread that is in the middle of a statement, however long that takes. */
export function endAtOnce(signal: (typeof signals)[number]): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container is not ended by its own signals.
  process.exit(128 + constants.signals[signal]);
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
