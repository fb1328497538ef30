const minSlots = 8;
const slotsPerReserved = 16;

/** Slots for accounts with nothing running, so that they start immediately under load. */
export function reservedSlots(slots: number): number {
  return slots < minSlots ? 0 : Math.max(1, Math.floor(slots / slotsPerReserved));
}
