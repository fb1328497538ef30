/** What a rendered record depends on; `catalog` is null if the row alone. */
export type RecordVersion = { path: string; writtenIn: number; catalog: unknown };

export type RecordBytes = { arena: Buffer; start: number; end: number };

/** The rendered records of one thread, in UTF-8. The less recently used half is dropped when the other half is full. */
export type RecordCache = {
  /** Null unless rendered from this version of its segment and, where it depends on it, of the catalog. */
  find(id: bigint, version: RecordVersion): RecordBytes | null;
  add(id: bigint, version: RecordVersion, text: string): RecordBytes;
};

type Entry = RecordBytes & RecordVersion;

/** Approximate memory of an entry and its key, charged to the half that it is in. */
const entryBytes = 160;
const mostBytesOfUnit = 3;

export function createRecordCache(maxBytes: number): RecordCache {
  const half = Math.floor(maxBytes / 2);
  let recent = new Map<bigint, Entry>();
  let older = new Map<bigint, Entry>();
  let arena = Buffer.alloc(0);
  let used = 0;

  /** False if the text is too long for the cache. */
  function makeRoom(bytes: number): boolean {
    if (arena.length - used - recent.size * entryBytes >= bytes) return true;
    if (bytes > half) return false;
    older = recent;
    recent = new Map();
    // Not reused: pages may still be copied from it.
    arena = Buffer.allocUnsafeSlow(half);
    used = 0;
    return true;
  }

  function add(id: bigint, version: RecordVersion, text: string): RecordBytes {
    if (!makeRoom(text.length * mostBytesOfUnit + entryBytes)) {
      const own = Buffer.from(text);
      return { arena: own, start: 0, end: own.length };
    }
    const start = used;
    used += arena.write(text, start);
    const { path, writtenIn, catalog } = version;
    const entry = { arena, start, end: used, path, writtenIn, catalog };
    recent.set(id, entry);
    return entry;
  }

  function find(id: bigint, { path, writtenIn, catalog }: RecordVersion): RecordBytes | null {
    const entry = recent.get(id) ?? older.get(id);
    if (entry === undefined || entry.path !== path || entry.writtenIn !== writtenIn) return null;
    if (entry.catalog !== null && entry.catalog !== catalog) return null;
    return entry.arena === arena ? entry : moved(id, entry);
  }

  /** Into the recent half. */
  function moved(id: bigint, entry: Entry): RecordBytes {
    const { arena: from, start, end } = entry;
    if (!makeRoom(end - start + entryBytes)) return entry;
    from.copy(arena, used, start, end);
    const copy = { ...entry, arena, start: used, end: used + end - start };
    used = copy.end;
    recent.set(id, copy);
    return copy;
  }

  return { find, add };
}
