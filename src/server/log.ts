import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

/** Names that a secret or a query may stand under, at the top of a line and one level down. */
const secretNames = ["authorization", "key", "secret", "token", "cursor", "query", "password"];

/** JSON lines on stderr. Neither queries nor keys are ever passed to it; should one be all the same, it is struck out. */
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
    destination ?? pino.destination({ fd: 2, sync: true }),
  );
}
