/**
 * V8 sizes heaps by the machine's memory: with 24 GB a server took 484 to 502 MB after 3,500 jobs, half of it no live data;
 * with these flags some 320. Command-line flags would be lost in `npx earshot` or need a second
 * process, and limits of worker threads do not reach the event loop. A V8 that does not know a flag prints an error line and
 * continues.
 */

import { setFlagsFromString } from "node:v8";

/**
 * Keeps the JavaScript heaps of all threads near their live size; by default V8 lets garbage grow to several times that on
 * large machines. The young generation keeps its size; collection starts 40 % above the surviving size. V8 reads both flags
 * at each collection. Call it when the service listens: V8 rejects compiled code that was cached under other flags, and
 * compiling all modules again is a fifth of a start.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--semi-space-growth-factor=1");
}
