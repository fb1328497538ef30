import type { Logger } from "pino";
import type { OpenArchive } from "../../archive/threads/open.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { Events } from "../../lib/events.ts";
import type { Config } from "../config.ts";
import type { Control, ControlStore } from "../control/control.ts";
import { createLog } from "../log.ts";
import { createReadiness } from "../readiness.ts";
import type { ServiceEvents } from "../service-events.ts";
import { createGatewaySharing, type GatewaySharing } from "../sharing.ts";
import type { Stores } from "../stores.ts";
import { watchDamage } from "../watches/damage-watch.ts";
import { isStorageFull, watchStore } from "../watches/store-watch.ts";

export type Base = {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly events: ServiceEvents;
  readonly store: ControlStore;
  readonly isStoreFull: () => boolean;
  readonly archive: OpenArchive;
  readonly canReadArchive: () => Promise<boolean>;
  readonly secrets: Control["secrets"];
  readonly sharing: GatewaySharing;
  readonly threadLoad: () => readonly ReturnType<Control["load"] | OpenArchive["load"]>[number][];
  /** A full disk is logged once, by the store watch. */
  warn(error: unknown, message: string): void;
};

export function makeBase(
  config: Config,
  { gateway, control, archive, onWarning }: Stores,
  overrides: { clock?: Clock; log?: Logger },
): Base {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.log.level);
  const events: ServiceEvents = new Events((error, event) =>
    log.error({ err: error, event }, "an event listener failed"),
  );
  const { store, isFull: isStoreFull } = watchStore(control.store, {
    clock,
    log,
    onWrite: (seconds) => events.emit("storeWritten", { seconds }),
  });
  onWarning((message) => log.warn(message));
  const warn: Base["warn"] = (error, message) => {
    if (!isStorageFull(error)) log.warn({ error: errorMessage(error) }, message);
  };
  watchDamage(archive, log);
  return {
    config,
    clock,
    random: Math.random,
    log,
    events,
    store,
    isStoreFull,
    archive,
    canReadArchive: createReadiness(archive, clock),
    secrets: control.secrets,
    threadLoad: () => [...control.load(), ...archive.load()],
    sharing: createGatewaySharing({
      gatewayId: gateway,
      sharedControl: control.sharedControl,
      store,
      clock,
      warn,
    }),
    warn,
  };
}
