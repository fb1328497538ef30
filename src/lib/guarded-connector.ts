import { buildConnector } from "undici";
import type { Guard } from "./guard.ts";

/** The guard checks names in their lookup and literal addresses before connecting. */
export function guardedConnector(guard: Guard, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    const port = options.port === "" ? "" : `:${options.port}`;
    try {
      const url = new URL(`${options.protocol}//${options.hostname}${port}`);
      const lookup = guard.lookupFor(url);
      buildConnector({ lookup, timeout: timeoutMs, allowH2: false })(options, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  };
}
