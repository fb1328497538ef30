import type { Clock } from "../../lib/clock.ts";
import type { NewReservation } from "./operations.ts";
import type { UpstreamJob } from "./sessions.ts";

/** The unsettled reservations of one attempt in all its sessions. */
export type Reservations = {
  /** Reserves in sequence; `make` gets the unsettled reservations. */
  reserve(make: (ownIds: readonly number[]) => Promise<NewReservation>): Promise<NewReservation>;
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
    for (const [pastKey, { untilMs }] of attempts) {
      if (untilMs > clock.now()) break;
      attempts.delete(pastKey);
    }
    const reservations = attemptReservations();
    attempts.set(key, { reservations, untilMs: deadlineMs });
    return reservations;
  };
}

function attemptReservations(): Reservations {
  const ownIds = new Set<number>();
  let lastReservation: Promise<unknown> = Promise.resolve();

  function reserve(
    make: (ownIds: readonly number[]) => Promise<NewReservation>,
  ): Promise<NewReservation> {
    const reservation = lastReservation.then(async () => {
      const newReservation = await make([...ownIds]);
      ownIds.add(newReservation.id);
      return newReservation;
    });
    lastReservation = reservation.catch(() => undefined);
    return reservation;
  }

  return {
    reserve,
    settle: (id) => {
      ownIds.delete(id);
    },
  };
}
