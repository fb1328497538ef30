import type { Clock } from "../../lib/clock.ts";
import type { Reserved } from "./operations.ts";
import type { UpstreamJob } from "./sessions.ts";

/** The unsettled reservations of one attempt in all its sessions. */
export type Reservations = {
  /** Reserves in sequence; `make` gets the unsettled reservations. */
  reserve(make: (own: readonly number[]) => Promise<Reserved>): Promise<Reserved>;
  settle(id: number): void;
};

export function createReservations(
  clock: Pick<Clock, "now">,
): (job: Pick<UpstreamJob, "uuid" | "attempt" | "deadlineMs">) => Reservations {
  const attempts = new Map<string, { reservations: Reservations; untilMs: number }>();
  return ({ uuid, attempt, deadlineMs }) => {
    const key = `${uuid} ${attempt}`;
    const known = attempts.get(key);
    if (known !== undefined) return known.reservations;
    for (const [past, { untilMs }] of attempts) {
      if (untilMs > clock.now()) break;
      attempts.delete(past);
    }
    const reservations = attemptReservations();
    attempts.set(key, { reservations, untilMs: deadlineMs });
    return reservations;
  };
}

function attemptReservations(): Reservations {
  const ownCalls = new Set<number>();
  let last: Promise<unknown> = Promise.resolve();

  function reserve(make: (own: readonly number[]) => Promise<Reserved>): Promise<Reserved> {
    const reservation = last.then(async () => {
      const reserved = await make([...ownCalls]);
      ownCalls.add(reserved.id);
      return reserved;
    });
    last = reservation.catch(() => undefined);
    return reservation;
  }

  return {
    reserve,
    settle: (id) => {
      ownCalls.delete(id);
    },
  };
}
