import type { ChunkSet } from "./chunk-set.ts";
import { wordsPerBitmap } from "./format.ts";

/** `list` and `bits` share memory. */
type ScratchBuffer = { list: Uint16Array; bits: Uint32Array };

/** A stack of reused buffers. */
export type Scratch = {
  acquire(): ScratchBuffer;
  mark(): number;
  release(mark: number): void;
  /** Releases all buffers but that of `retainedSet`. */
  releaseExcept(mark: number, retainedSet: ChunkSet): void;
};

export function createScratch(): Scratch {
  const buffers: ScratchBuffer[] = [];
  let acquiredCount = 0;
  return {
    acquire() {
      const buffer = buffers[acquiredCount] ?? createBuffer();
      buffers[acquiredCount] = buffer;
      acquiredCount += 1;
      return buffer;
    },
    mark: () => acquiredCount,
    release(mark) {
      acquiredCount = mark;
    },
    releaseExcept(mark, retainedSet) {
      for (let index = mark; index < acquiredCount; index++) {
        const buffer = buffers[index];
        const first = buffers[mark];
        if (buffer === undefined || first === undefined) break;
        if (buffer.list !== retainedSet.list && buffer.bits !== retainedSet.bits) continue;
        buffers[index] = first;
        buffers[mark] = buffer;
        acquiredCount = mark + 1;
        return;
      }
      acquiredCount = mark;
    },
  };
}

function createBuffer(): ScratchBuffer {
  const bytes = new ArrayBuffer(wordsPerBitmap * 4);
  return { list: new Uint16Array(bytes), bits: new Uint32Array(bytes) };
}
