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
    } catch (fault) {
      callback(fault instanceof Error ? fault : new Error(String(fault)), null);
    }
  };
}
