import type { ChunkSet } from "./chunk-set.ts";
import { wordsPerBitmap } from "./format.ts";

/** `list` and `bits` share memory. */
type ScratchBuffer = { list: Uint16Array; bits: Uint32Array };

/** A stack of reused buffers. */
export type Scratch = {
  acquire(): ScratchBuffer;
  mark(): number;
  release(mark: number): void;
  /** Releases all buffers but that of `retained`. */
  releaseExcept(mark: number, retained: ChunkSet): void;
};

export function createScratch(): Scratch {
  const buffers: ScratchBuffer[] = [];
  let acquired = 0;
  return {
    acquire() {
      const buffer = buffers[acquired] ?? createBuffer();
      buffers[acquired] = buffer;
      acquired += 1;
      return buffer;
    },
    mark: () => acquired,
    release(mark) {
      acquired = mark;
    },
    releaseExcept(mark, retained) {
      for (let index = mark; index < acquired; index++) {
        const buffer = buffers[index];
        const first = buffers[mark];
        if (buffer === undefined || first === undefined) break;
        if (buffer.list !== retained.list && buffer.bits !== retained.bits) continue;
        buffers[index] = first;
        buffers[mark] = buffer;
        acquired = mark + 1;
        return;
      }
      acquired = mark;
    },
  };
}

function createBuffer(): ScratchBuffer {
  const bytes = new ArrayBuffer(wordsPerBitmap * 4);
  return { list: new Uint16Array(bytes), bits: new Uint32Array(bytes) };
}
