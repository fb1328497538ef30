export type TermCache = {
  open<Value>(): IndexCache<Value>;
};

type IndexCache<Value> = {
  get(key: string, make: (grow: (bytes: number) => void) => Value): Value;
  find(key: string): Value | undefined;
  close(): void;
};

type Entry = {
  readonly key: string;
  readonly forget: (key: string) => void;
  bytes: number;
  older: Entry | null;
  newer: Entry | null;
  isCached: boolean;
};

const entryOverheadBytes = 200;

export function createTermCache(maxBytes: number): TermCache {
  let storedBytes = 0;
  let newest: Entry | null = null;
  let oldest: Entry | null = null;

  function unlink(entry: Entry): void {
    if (entry.newer === null) newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === null) oldest = entry.newer;
    else entry.older.newer = entry.newer;
  }

  function link(entry: Entry): void {
    entry.newer = null;
    entry.older = newest;
    if (newest === null) oldest = entry;
    else newest.newer = entry;
    newest = entry;
  }

  function drop(entry: Entry): void {
    unlink(entry);
    entry.isCached = false;
    storedBytes -= entry.bytes;
    entry.forget(entry.key);
  }

  function evict(): void {
    while (storedBytes > maxBytes && oldest !== null) drop(oldest);
  }

  function grow(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    if (!entry.isCached) return;
    storedBytes += bytes;
    evict();
  }

  function insert(entry: Entry): void {
    entry.isCached = true;
    storedBytes += entry.bytes;
    link(entry);
    evict();
  }

  return {
    open<Value>(): IndexCache<Value> {
      const entries = new Map<string, { entry: Entry; value: Value }>();
      const forget = (key: string): void => void entries.delete(key);
      const find = (key: string): Value | undefined => {
        const cachedEntry = entries.get(key);
        if (cachedEntry !== undefined && cachedEntry.entry !== newest) {
          unlink(cachedEntry.entry);
          link(cachedEntry.entry);
        }
        return cachedEntry?.value;
      };
      return {
        find,
        get(key, make) {
          const cachedValue = find(key);
          if (cachedValue !== undefined) return cachedValue;
          const bytes = entryOverheadBytes + 2 * key.length;
          const entry: Entry = { key, forget, bytes, older: null, newer: null, isCached: false };
          const value = make((more) => grow(entry, more));
          entries.set(key, { entry, value });
          insert(entry);
          return value;
        },
        close() {
          for (const { entry } of [...entries.values()]) drop(entry);
        },
      };
    },
  };
}
