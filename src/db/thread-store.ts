import type { Thread } from "../lib/thread.ts";
import type { Store } from "./operations.ts";

/** A store whose writes run on one thread and whose reads, and what it keeps in memory, on another. */
export function createThreadStore<Table>(writer: Thread, reader: Thread): Store<Table> {
  // What a thread answers to a name is what the operation of that name returned.
  return {
    read: (name, args) => reader.call(name, args),
    write: (name, args) => writer.call(name, args),
    inMemory: (name, args) => reader.call(name, args),
  } as Store<Table>;
}
