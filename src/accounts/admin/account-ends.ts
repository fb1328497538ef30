import type { Store } from "../../db/operations.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { deletionOperations, EndingAccount } from "./deletion-operations.ts";

/**
 * Ends what is under way of accounts that were suspended or deleted, and drops the rows of the latter: at once when this process
 * did it, within a second when another one did (`earshot accounts`), at the next start when this one died meanwhile.
 */
export type AccountEnds = {
  /** Resolves when the jobs of the account have ended, and, when it was deleted, nothing is left of it. */
  settle(account: EndingAccount): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type AccountEndsContext = {
  store: Store<typeof deletionOperations>;
  jobs: Pick<JobQueue, "endAll">;
  clock: Clock;
  /** Lets go of what this process holds of an account that is deleted. */
  forget: (accountId: string) => void;
  /** Told of what goes wrong in the watch, which goes on. */
  onFault: (thrown: unknown) => void;
};

const lookEveryMs = 1_000;

export function createAccountEnds({
  store,
  jobs,
  clock,
  forget,
  onFault,
}: AccountEndsContext): AccountEnds {
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  let watching: Promise<void> = Promise.resolve();

  function settle(account: EndingAccount): Promise<void> {
    const { id, ending } = account;
    const key = `${ending} ${id}`;
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const settled = end(account).finally(() => underWay.delete(key));
    underWay.set(key, settled);
    return settled;
  }

  async function end({ id: accountId, ending }: EndingAccount): Promise<void> {
    await jobs.endAll(accountId);
    if (ending === "suspended") {
      await store.write("noteEnded", { accountId });
      return;
    }
    for (let isMore = true; isMore; ) {
      ({ isMore } = await store.write("dropClosedAccount", { accountId }));
    }
    forget(accountId);
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch(onFault);
      await clock.sleep(lookEveryMs, stopping.signal).catch(() => undefined);
    }
  }

  async function look(): Promise<void> {
    for (const account of await store.read("endingAccounts", null)) {
      if (stopping.signal.aborted) return;
      await settle(account);
    }
  }

  return {
    settle,
    start: () => {
      watching = watch();
    },
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
}
