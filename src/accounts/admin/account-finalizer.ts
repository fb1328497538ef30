import type { Store } from "../../db/operations.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { deletionOperations, EndingAccount } from "./deletion-operations.ts";

/**
 * Ends the jobs of suspended and deleted accounts, and deletes the rows of deleted ones. Checks
 * every second for changes made by `earshot accounts`, and resumes after a crash.
 */
export type AccountFinalizer = {
  settle(account: EndingAccount): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type AccountFinalizerContext = {
  store: Store<typeof deletionOperations>;
  jobs: Pick<JobQueue, "endAll">;
  clock: Clock;
  onDeleted: (accountId: string) => void;
  onError: (thrown: unknown) => void;
};

const pollMs = 1_000;

export function createAccountFinalizer({
  store,
  jobs,
  clock,
  onDeleted,
  onError,
}: AccountFinalizerContext): AccountFinalizer {
  const stopping = new AbortController();
  const settlements = new Map<string, Promise<void>>();
  let watchTask: Promise<void> = Promise.resolve();

  function settle(account: EndingAccount): Promise<void> {
    const { id, ending } = account;
    const key = `${ending} ${id}`;
    const pending = settlements.get(key);
    if (pending !== undefined) return pending;
    const settlement = end(account).finally(() => settlements.delete(key));
    settlements.set(key, settlement);
    return settlement;
  }

  async function end({ id: accountId, ending }: EndingAccount): Promise<void> {
    await jobs.endAll(accountId);
    if (ending === "suspended") {
      await store.write("finishSuspension", { accountId });
      return;
    }
    for (let isMore = true; isMore; ) {
      ({ isMore } = await store.write("dropClosedAccount", { accountId }));
    }
    onDeleted(accountId);
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await poll().catch(onError);
      await clock.sleep(pollMs, stopping.signal).catch(() => undefined);
    }
  }

  async function poll(): Promise<void> {
    for (const account of await store.read("endingAccounts", null)) {
      if (stopping.signal.aborted) return;
      await settle(account);
    }
  }

  return {
    settle,
    start: () => {
      watchTask = watch();
    },
    stop: async () => {
      stopping.abort();
      await watchTask;
    },
  };
}
