/**
 * A stop is announced (`/readyz` is 503, everything else is served), then drains, then closes. Each client gets a response
 * rather than a reset, so the listener stays open until everything else has ended.
 */

import type { FastifyRequest } from "fastify";
import { EarshotError } from "../../lib/errors.ts";
import type { OpenConnections } from "./open-connections.ts";

declare module "fastify" {
  interface FastifyInstance {
    shutdown: Shutdown;
  }
}

/** Graceful shutdown: call `announce`, then `drain`, then close the app. */
export type Shutdown = {
  /** `/readyz` is 503 and answers close their connection; requests are still served. */
  announce(): void;
  isAnnounced(): boolean;
  /** Refuses requests except operational ones, and ends pending ones. Resolves when none is left. */
  drain(): Promise<void>;
  /** Throws during the drain. Errors: `stopping`, public as `unavailable`. */
  requireOpen(request: FastifyRequest): void;
  draining: AbortSignal;
};

const alwaysServed: readonly string[] = ["/livez", "/readyz", "/metrics"];

export function createShutdown(connections: Pick<OpenConnections, "answered">): Shutdown {
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
      await connections.answered();
    },
    requireOpen: ({ routeOptions }) => {
      if (draining.signal.aborted && !alwaysServed.includes(routeOptions.url ?? "")) {
        throw serverStops();
      }
    },
    draining: draining.signal,
  };
}

/** Not logged as an error. */
export function serverStops(): EarshotError {
  return new EarshotError("stopping", "the server is stopping", {
    status: 503,
    retryable: true,
  });
}
