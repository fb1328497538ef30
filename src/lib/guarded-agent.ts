import {
  Agent,
  buildConnector,
  type RequestInit,
  type Response,
  fetch as undiciFetch,
} from "undici";
import type { Guard } from "./guard.ts";

export type GuardedAgent = {
  fetch(url: URL, init: RequestInit): Promise<Response>;
  destroy(): Promise<void>;
};

export function createGuardedAgent({
  guard,
  timeoutMs,
  connectTimeoutMs,
  maxConnectionsPerHost,
}: {
  guard: Guard;
  timeoutMs: number;
  connectTimeoutMs: number;
  maxConnectionsPerHost: number;
}): GuardedAgent {
  const agent = new Agent({
    connect: guardedConnector(guard, connectTimeoutMs),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: maxConnectionsPerHost,
  });
  return {
    fetch: (url, init) => undiciFetch(url, { ...init, dispatcher: agent }),
    destroy: () => agent.destroy(),
  };
}

function guardedConnector(guard: Guard, timeoutMs: number): buildConnector.connector {
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
