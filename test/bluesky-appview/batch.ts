import type { Network } from "./network.ts";
import type { Account, Reference } from "./society.ts";

export type Batch = {
  author: Account;
  /** `made` receives the reference once all batches have been written. */
  add(collection: string, record: object, made?: (reference: Reference) => void): void;
  remove(uri: string): void;
  write(): Promise<() => void>;
};

const maxWrites = 200;
const profileCollection = "app.bsky.actor.profile";

export function createBatch(network: Network, author: Account): Batch {
  const writes: { write: object; made: (reference: Reference) => void }[] = [];
  const kind = (name: string) => ({ $type: `com.atproto.repo.applyWrites#${name}` });

  async function writeSome(from: number): Promise<Reference[]> {
    const some = writes.slice(from, from + maxWrites).map(({ write }) => write);
    const { results } = await network.call<{ results: Reference[] }>(
      "com.atproto.repo.applyWrites",
      author.authorization,
      { repo: author.did, writes: some },
    );
    return results;
  }

  return {
    author,
    add: (collection, record, made = () => {}) => {
      const key = collection === profileCollection ? { rkey: "self" } : {};
      const value = { $type: collection, ...record };
      writes.push({ write: { ...kind("create"), collection, ...key, value }, made });
    },
    remove: (uri) => {
      const [collection, rkey] = uri.split("/").slice(-2);
      writes.push({ write: { ...kind("delete"), collection, rkey }, made: () => {} });
    },
    write: async () => {
      const written: Reference[] = [];
      for (let from = 0; from < writes.length; from += maxWrites) {
        written.push(...(await writeSome(from)));
      }
      return () => {
        for (const [index, { made }] of writes.entries()) {
          const { uri, cid } = written[index] ?? { uri: "", cid: "" };
          made({ uri, cid });
        }
      };
    },
  };
}

/** Writes in parallel but reports in order, so that later draws are reproducible. */
export async function writeAll(batches: readonly Batch[]): Promise<void> {
  const reported: (() => void)[] = [];
  const waiting = [...batches.entries()];
  const writeSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, batch] = next;
      reported[index] = await batch.write();
    }
  };
  await Promise.all([writeSome(), writeSome(), writeSome(), writeSome()]);
  for (const report of reported) report();
}
