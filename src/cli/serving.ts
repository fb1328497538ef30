import type { Config } from "../server/config.ts";
import { exitBySignal } from "./terminal/signals.ts";
import type { Terminal } from "./terminal/terminal.ts";

const exitDelayMs = 300;

/** Does not wait for a running search, which cannot be interrupted; its job runs again after the restart. */
export function exitSoon(): void {
  setTimeout(() => exitBySignal("SIGTERM"), exitDelayMs).unref();
}

/** Logs only warnings on a terminal unless a level is set. */
export function withQuietLog(config: Config, { interactiveNotes, environment }: Terminal): Config {
  if (!interactiveNotes || environment.EARSHOT_LOG_LEVEL) return config;
  return { ...config, log: { level: "warn" } };
}
