import type { ChunkSet } from "./chunk-set.ts";
import { wordsOfBitmap } from "./format.ts";

type ScratchBuffer = { list: Uint16Array; bits: Uint32Array };

export type Scratch = {
  take(): ScratchBuffer;
  used(): number;
  release(used: number, set: ChunkSet): void;
};

export function createScratch(): Scratch {
  const rooms: ScratchBuffer[] = [];
  let used = 0;
  return {
    take() {
      const room = rooms[used] ?? createBuffer();
      rooms[used] = room;
      used += 1;
      return room;
    },
    used: () => used,
    release(chosen, set) {
      for (let index = chosen; index < used; index++) {
        const room = rooms[index];
        const first = rooms[chosen];
        if (room === undefined || first === undefined) break;
        if (room.list !== set.list && room.bits !== set.bits) continue;
        rooms[index] = first;
        rooms[chosen] = room;
        used = chosen + 1;
        return;
      }
      used = chosen;
    },
  };
}

function createBuffer(): ScratchBuffer {
  const bytes = new ArrayBuffer(wordsOfBitmap * 4);
  return { list: new Uint16Array(bytes), bits: new Uint32Array(bytes) };
}
