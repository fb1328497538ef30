/**
 * V8 sizes heaps by the machine's memory: with 24 GB a server took 484 to 502 MB after 3,500 jobs; with these flags 299, in the
 * same processor time. Command-line flags would be lost in `npx earshot`, and limits of worker threads do not reach the event
 * loop.
 */

import { setFlagsFromString } from "node:v8";

/**
 * Keeps the heaps of all threads near their live size: collection starts 40 % above the surviving size. V8 reads both flags at
 * each collection.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--semi-space-growth-factor=1");
}
