import type { Store } from "../db/operations.ts";
import {
  type ForeignChange,
  type Gateway,
  type OtherGateway,
  singleGateway,
} from "../jobs/gateways/gateway.ts";
import type { JobOperations } from "../jobs/operations.ts";
import type { JobQueue } from "../jobs/queue.ts";
import type { Clock } from "../lib/clock.ts";
import { methodNames } from "../platforms/methods.ts";
import type { Capability } from "../remote/capability.ts";
import type { SharedControl } from "./control/control.ts";
import type { RoutableNode } from "./job-router.ts";

export type GatewaySharing = {
  gateway: Gateway;
  offer(capabilities: () => readonly Capability[]): void;
  otherGateways(): readonly RoutableNode[];
  /** Call after the queue has started. */
  start(queue: Pick<JobQueue, "applyForeignChanges" | "reload">): void;
  stop(): void;
};

type SharingContext = {
  gatewayId: string;
  sharedControl: SharedControl | null;
  store: Store<JobOperations>;
  clock: Clock;
  warn: (error: unknown, message: string) => void;
};

const leadEveryMs = 1_000;
/** Notifications may be missed, for example while a gateway joins. */
const reloadEveryMs = 10_000;
const retryMs = 500;

export function createGatewaySharing({
  gatewayId,
  sharedControl,
  store,
  clock,
  warn,
}: SharingContext): GatewaySharing {
  if (sharedControl === null) {
    return {
      gateway: singleGateway,
      offer: () => undefined,
      otherGateways: () => [],
      start: () => undefined,
      stop: () => undefined,
    };
  }
  const stopController = new AbortController();
  const { signal } = stopController;
  let isLeader = false;
  let otherGateways: readonly OtherGateway[] = [];
  let ownCapabilities: () => readonly Capability[] = () => [];

  async function repeat(
    everyMs: number,
    work: () => Promise<void>,
    failure: string,
  ): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: unknown) => warn(error, failure));
      await clock.sleep(everyMs, signal).catch(() => undefined);
    }
  }

  async function lead(control: SharedControl): Promise<void> {
    try {
      isLeader = (await control.lead()) && !signal.aborted;
      otherGateways = await store.read("otherGateways", { gateway: gatewayId });
    } catch (error) {
      isLeader = false;
      throw error;
    }
  }

  async function follow(
    control: SharedControl,
    queue: Pick<JobQueue, "applyForeignChanges" | "reload">,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const { isReloadNeeded, payloads } = await control.nextNotifications();
        if (isReloadNeeded) await queue.reload();
        await queue.applyForeignChanges(changesIn(payloads, gatewayId));
      } catch (error) {
        if (signal.aborted) return;
        warn(error, "reading other gateways' changes failed");
        await clock.sleep(retryMs, signal).catch(() => undefined);
        await queue.reload().catch(() => undefined);
      }
    }
  }

  return {
    gateway: {
      id: gatewayId,
      isShared: true,
      isLeader: () => isLeader,
      capabilities: () => JSON.stringify(ownCapabilities()),
    },
    offer: (capabilities) => {
      ownCapabilities = capabilities;
    },
    otherGateways: () => otherGateways.map(toRoutableNode),
    start: (queue) => {
      void repeat(leadEveryMs, () => lead(sharedControl), "leader election failed");
      void repeat(reloadEveryMs, () => queue.reload(), "reading the unfinished jobs failed");
      void follow(sharedControl, queue);
    },
    stop: () => {
      isLeader = false;
      stopController.abort();
    },
  };
}

const toRoutableNode = ({ id, capabilities }: OtherGateway): RoutableNode => ({
  id: `gateway ${id}`,
  state: "approved",
  isConnected: true,
  seenMs: null,
  takes: methodNames,
  capabilities: capabilities === null ? [] : JSON.parse(capabilities),
});

/** Drops the gateway's own changes, which PostgreSQL also delivers. */
function changesIn(payloads: readonly string[], gatewayId: string): ForeignChange[] {
  const changes = payloads.map((payload): ForeignChange => JSON.parse(payload));
  return changes.filter(({ gateway }) => gateway !== gatewayId);
}
