import type { Network } from "./network.ts";
import type { Account, Reference } from "./network-content.ts";

export type Batch = {
  author: Account;
  /** `onCreated` receives the reference once all batches have been written. */
  add(collection: string, record: object, onCreated?: (reference: Reference) => void): void;
  remove(uri: string): void;
  write(): Promise<() => void>;
};

const maxWrites = 200;
const profileCollection = "app.bsky.actor.profile";

export function createBatch(network: Network, author: Account): Batch {
  const writes: { write: object; onCreated: (reference: Reference) => void }[] = [];
  const writeType = (name: string) => ({ $type: `com.atproto.repo.applyWrites#${name}` });

  async function writeSome(from: number): Promise<Reference[]> {
    const batchWrites = writes.slice(from, from + maxWrites).map(({ write }) => write);
    const { results } = await network.call<{ results: Reference[] }>(
      "com.atproto.repo.applyWrites",
      author.authorization,
      { repo: author.did, writes: batchWrites },
    );
    return results;
  }

  return {
    author,
    add: (collection, record, onCreated = () => {}) => {
      const key = collection === profileCollection ? { rkey: "self" } : {};
      const value = { $type: collection, ...record };
      writes.push({ write: { ...writeType("create"), collection, ...key, value }, onCreated });
    },
    remove: (uri) => {
      const [collection, rkey] = uri.split("/").slice(-2);
      writes.push({ write: { ...writeType("delete"), collection, rkey }, onCreated: () => {} });
    },
    write: async () => {
      const references: Reference[] = [];
      for (let from = 0; from < writes.length; from += maxWrites) {
        references.push(...(await writeSome(from)));
      }
      return () => {
        for (const [index, { onCreated }] of writes.entries()) {
          const { uri, cid } = references[index] ?? { uri: "", cid: "" };
          onCreated({ uri, cid });
        }
      };
    },
  };
}

/** Writes in parallel but reports in order, so that later draws are reproducible. */
export async function writeAll(batches: readonly Batch[]): Promise<void> {
  const reports: (() => void)[] = [];
  const queue = [...batches.entries()];
  const writeSome = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, batch] = next;
      reports[index] = await batch.write();
    }
  };
  await Promise.all([writeSome(), writeSome(), writeSome(), writeSome()]);
  for (const report of reports) report();
}
