/** Below this, none is reserved: waiting accounts come first whenever a slot is free. */
const leastSlots = 8;
/** One slot per this many is reserved, at least one. */
const slotsPerReserved = 16;

/** Slots reserved for accounts with nothing running, so that they start at once under load. */
export function reservedSlots(slots: number): number {
  return slots < leastSlots ? 0 : Math.max(1, Math.floor(slots / slotsPerReserved));
}
