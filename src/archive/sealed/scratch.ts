import type { ChunkSet } from "./chunk-set.ts";
import { wordsOfBitmap } from "./format.ts";

/** A buffer: the same bytes as a list and as a bitmap. */
type Room = { list: Uint16Array; bits: Uint32Array };

/** A stack of result buffers. */
export type Scratch = {
  take(): Room;
  taken(): number;
  /** Frees the buffers after the first `taken`, except that of `set`. */
  release(taken: number, set: ChunkSet): void;
};

export function createScratch(): Scratch {
  const rooms: Room[] = [];
  let used = 0;
  return {
    take() {
      const room = rooms[used] ?? createRoom();
      rooms[used] = room;
      used += 1;
      return room;
    },
    taken: () => used,
    release(taken, set) {
      for (let index = taken; index < used; index++) {
        const room = rooms[index];
        const first = rooms[taken];
        if (room === undefined || first === undefined) break;
        if (room.list !== set.list && room.bits !== set.bits) continue;
        rooms[index] = first;
        rooms[taken] = room;
        used = taken + 1;
        return;
      }
      used = taken;
    },
  };
}

function createRoom(): Room {
  const bytes = new ArrayBuffer(wordsOfBitmap * 4);
  return { list: new Uint16Array(bytes), bits: new Uint32Array(bytes) };
}
