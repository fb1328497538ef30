import { notNow, tooManyAttempts } from "./faults.ts";

/**
 * How many registrations are under way, from before their bodies are read until they are answered: what strangers can make a
 * gateway hold in memory is that many bodies, whatever they send and however slowly.
 */
export type RegistrationBodies = {
  /**
   * One begins; to be called is what comes back when it has been answered or cut off. Errors: `too_many_attempts` for an address
   * with `mostOfGroup` of them under way, `unavailable` with `busy` when there are as many as may be in all.
   */
  begin(group: string): () => void;
};

/** So many nodes behind one address attest at a time. */
const mostOfGroup = 8;

export function createRegistrationBodies(mostInAll: number): RegistrationBodies {
  const ofGroup = new Map<string, number>();
  let inAll = 0;

  function end(group: string): void {
    inAll -= 1;
    const left = (ofGroup.get(group) ?? 1) - 1;
    if (left === 0) ofGroup.delete(group);
    else ofGroup.set(group, left);
  }

  return {
    begin: (group) => {
      const underWay = ofGroup.get(group) ?? 0;
      if (underWay >= mostOfGroup) {
        throw tooManyAttempts("too many registrations from this address are under way");
      }
      if (inAll >= mostInAll) throw notNow("busy", "too many nodes attest at a time");
      inAll += 1;
      ofGroup.set(group, underWay + 1);
      let isOver = false;
      return () => {
        if (!isOver) end(group);
        isOver = true;
      };
    },
  };
}
