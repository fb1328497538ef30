import type { FastifyRequest } from "fastify";
import { EarshotError } from "../../lib/errors.ts";
import type { OpenConnections } from "./open-connections.ts";

declare module "fastify" {
  interface FastifyInstance {
    shutdown: Shutdown;
  }
}

/** Call `announce`, then `drain`, then close the app. The listener stays open until then, so that clients get no reset. */
export type Shutdown = {
  /** `/readyz` is 503 and answers close their connection; requests are still served. */
  announce(): void;
  isAnnounced(): boolean;
  /** Ends pending requests and refuses others except operational ones. Resolves when none is left. */
  drain(): Promise<void>;
  /** Errors: `stopping` during the drain. */
  requireOpen(request: FastifyRequest): void;
  draining: AbortSignal;
};

const alwaysServed: readonly string[] = ["/livez", "/readyz", "/metrics"];

export function createShutdown(connections: Pick<OpenConnections, "whenAnswered">): Shutdown {
  const draining = new AbortController();
  let isAnnounced = false;

  return {
    announce: () => {
      isAnnounced = true;
    },
    isAnnounced: () => isAnnounced,
    drain: async () => {
      isAnnounced = true;
      draining.abort();
      await connections.whenAnswered();
    },
    requireOpen: ({ routeOptions }) => {
      if (draining.signal.aborted && !alwaysServed.includes(routeOptions.url ?? "")) {
        throw serverStops();
      }
    },
    draining: draining.signal,
  };
}

export function serverStops(): EarshotError {
  return new EarshotError("stopping", "the server is stopping", {
    status: 503,
    retryable: true,
  });
}
