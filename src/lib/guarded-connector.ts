import { buildConnector } from "undici";
import type { Guard } from "./guard.ts";

/**
 * Opens the connections of an undici dispatcher, each to an address that the guard has judged at that moment: names by their
 * look-up, hosts written as addresses before anything is opened.
 */
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
