/** Fewer slots than these reserve none: accounts that wait come first whenever one is free. */
const leastSlots = 8;
/** One slot in so many is reserved, and at least one. */
const slotsPerReserved = 16;

/**
 * How many of a node's slots are reserved for accounts that have nothing running: these begin at once, however much others have
 * waiting. A key that is alone runs in all of the others.
 */
export function reservedSlots(slots: number): number {
  return slots < leastSlots ? 0 : Math.max(1, Math.floor(slots / slotsPerReserved));
}
