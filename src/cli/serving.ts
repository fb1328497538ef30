import type { Config } from "../server/config.ts";
import { endAtOnce } from "./signals.ts";
import type { Terminal } from "./terminal.ts";

const leftWorkMs = 300;

/** A search that cannot be interrupted keeps its thread, and so the process, for as long as it likes; its job is run again. */
export function endSoon(): void {
  setTimeout(() => endAtOnce("SIGTERM"), leftWorkMs).unref();
}

/** A person is told what matters on standard output; the log is for machines. */
export function withQuietLog(config: Config, { interactiveNotes, environment }: Terminal): Config {
  if (!interactiveNotes || environment.EARSHOT_LOG_LEVEL) return config;
  return { ...config, log: { level: "warn" } };
}
