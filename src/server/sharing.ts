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
  others(): readonly RoutableNode[];
  /** Call after the queue has started. */
  start(queue: Pick<JobQueue, "applyForeignChanges" | "reload">): void;
  stop(): void;
};

type SharingContext = {
  gatewayId: string;
  shared: SharedControl | null;
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
  shared,
  store,
  clock,
  warn,
}: SharingContext): GatewaySharing {
  if (shared === null) {
    return {
      gateway: singleGateway,
      offer: () => undefined,
      others: () => [],
      start: () => undefined,
      stop: () => undefined,
    };
  }
  const stopping = new AbortController();
  const { signal } = stopping;
  let isLeader = false;
  let others: readonly OtherGateway[] = [];
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
      others = await store.read("otherGateways", { gateway: gatewayId });
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
        warn(error, "reading changes of other gateways failed");
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
    others: () => others.map(routableOf),
    start: (queue) => {
      void repeat(leadEveryMs, () => lead(shared), "leader election failed");
      void repeat(reloadEveryMs, () => queue.reload(), "reading the unfinished jobs failed");
      void follow(shared, queue);
    },
    stop: () => {
      isLeader = false;
      stopping.abort();
    },
  };
}

const routableOf = ({ id, capabilities }: OtherGateway): RoutableNode => ({
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
