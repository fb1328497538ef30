import { setFlagsFromString } from "node:v8";

/**
 * Keeps the JavaScript heaps of all threads near what they use. By itself V8 lets garbage grow to several times that on a machine
 * with much memory. New objects get no more room than they have when this is called, and garbage is collected once a heap is 40 %
 * above what survived. Both flags are read at every collection.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--semi-space-growth-factor=1");
}
