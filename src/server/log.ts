import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

/** Field names, redacted at the top level and one below. */
const secretNames = ["authorization", "key", "secret", "token", "cursor", "query", "password"];

/** Beyond this, lines are dropped, so that a slow reader never blocks the service. */
const maxWaitingCharacters = 4 * 1024 ** 2;

/**
 * Writes JSON lines to stderr asynchronously, flushed at exit. Callers never log queries and keys;
 * redaction is a second line of defence.
 */
export function createLog(level: Config["log"]["level"], destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`]),
        censor: "[removed]",
      },
    },
    destination ?? pino.destination({ fd: 2, sync: false, maxLength: maxWaitingCharacters }),
  );
}

export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}
