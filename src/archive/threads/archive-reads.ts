import type { ResolvedNames } from "@earshot/query/plan";
import type { MethodArgs, MethodValue, Thread } from "../../db/threads/thread.ts";
import type { ThreadPool } from "../../db/threads/thread-pool.ts";
import type { Archive, Damage } from "../archive.ts";
import { archiveErrors, type Verification } from "./archive-calls.ts";
import type { ReaderMethods } from "./reader-thread.ts";

export type ArchiveReads = Pick<
  Archive,
  | "search"
  | "count"
  | "records"
  | "page"
  | "withheld"
  | "resolve"
  | "identify"
  | "ingestOrder"
  | "accountsToLookUp"
  | "accountsNamed"
  | "aliases"
  | "readCheckpoint"
  | "coverage"
  | "stats"
  | "ping"
  | "onDamage"
>;

const noNames: ResolvedNames = { accounts: new Map(), posts: new Map() };

export function createArchiveReads(
  readers: ThreadPool<ReaderMethods>,
  verification: Verification,
  maxBytes: number,
): ArchiveReads {
  const damageListeners: ((damage: readonly Damage[]) => void)[] = [];

  async function send<Name extends keyof ReaderMethods>(
    method: Name,
    args: MethodArgs<ReaderMethods[Name]>,
    signal?: AbortSignal,
    target: Pick<Thread<ReaderMethods>, "call"> = readers,
  ): Promise<MethodValue<ReaderMethods[Name]>> {
    await verification.wait(signal);
    return await archiveErrors(target.call(method, args, { signal }));
  }

  function reportDamage<Answer extends { damage: readonly Damage[] }>(answer: Answer): Answer {
    if (answer.damage.length > 0) for (const listener of damageListeners) listener(answer.damage);
    return answer;
  }

  return {
    search: async (request, signal) => reportDamage(await send("search", request, signal)),
    // Always the same reader, for its cache.
    count: async (request, signal) =>
      reportDamage(await send("count", request, signal, readers.last)),
    records: async (positions) => reportDamage(await send("records", positions)),
    page: async (positions) => reportDamage(await send("page", positions)),
    withheld: async (names) => (names.length === 0 ? [] : await send("withheld", names)),
    resolve: async (names) =>
      names.accounts.length + names.posts.length === 0 ? noNames : await send("resolve", names),
    identify: async (posts) => (posts.length === 0 ? [] : await send("identify", posts)),
    ingestOrder: async (after, limit) => await send("ingestOrder", { after, limit }),
    accountsToLookUp: async (platform, beforeMs, limit) =>
      await send("accountsToLookUp", { platform, beforeMs, limit }),
    accountsNamed: async (name) => await send("accountsNamed", name),
    aliases: async (platform, below, limit) => await send("aliases", { platform, below, limit }),
    readCheckpoint: async (name) => await send("readCheckpoint", name),
    coverage: async () => await send("coverage", null),
    stats: async () => await send("stats", { maxBytes }),
    ping: async () => {
      verification.throwIfFailed();
      await archiveErrors(readers.call("coverage", null));
    },
    onDamage: (listener) => {
      damageListeners.push(listener);
    },
  };
}
