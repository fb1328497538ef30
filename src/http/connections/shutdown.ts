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

/** How an app takes leave of its clients before it closes: `announce`, then `drain`, then `close` of the app. */
export type Shutdown = {
  /** From now on `/readyz` is 503 and every answer closes its connection; everything is still served. */
  announce(): void;
  isAnnounced(): boolean;
  /**
   * From now on requests are 503, those of operation excepted, and held requests are answered with what is known. Resolves when
   * no request is open any more.
   */
  drain(): Promise<void>;
  /** Throws for a request that came after the drain began. Errors: `stopping`, public as `unavailable`. */
  requireOpen(request: FastifyRequest): void;
  /** Aborts when the drain begins. */
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

/** Not an error that the log reports: the stop has lines of its own. */
export function serverStops(): EarshotError {
  return new EarshotError("stopping", "the server is stopping", {
    status: 503,
    retryable: true,
  });
}
