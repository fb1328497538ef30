import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

/** Names that a secret or a query may stand under, at the top of a line and one level down. */
const secretNames = ["authorization", "key", "secret", "token", "cursor", "query", "password"];

/** So much of the log waits for a reader that is slow; what comes on top of it is dropped rather than the service held up. */
const mostWaitingCharacters = 4 * 1024 ** 2;

/**
 * JSON lines on stderr, written beside the work; what waits at the end of the process is written then. Neither queries nor keys
 * are ever passed to it; should one be all the same, it is struck out.
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
    destination ?? pino.destination({ fd: 2, sync: false, maxLength: mostWaitingCharacters }),
  );
}

/** Resolves when what was logged so far has been written. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}
