import type { Clock } from "../../lib/clock.ts";
import type { Reserved } from "./operations.ts";
import type { AskingJob } from "./sessions.ts";

/** What one attempt at a job has reserved for calls that are paid for, and not settled; of all of its sessions. */
export type Reservations = {
  /**
   * Makes a reservation, with the ones that are not settled: further calls of this attempt, not those of an earlier one that
   * was lost. One at a time, as the next has to know of it. Errors: those of `make`.
   */
  reserve(make: (own: readonly number[]) => Promise<Reserved>): Promise<Reserved>;
  settled(id: number): void;
};

/** The reservations of each attempt, kept until the job's deadline. */
export function createReservations(
  clock: Pick<Clock, "now">,
): (job: Pick<AskingJob, "uuid" | "attempt" | "deadlineMs">) => Reservations {
  const attempts = new Map<string, { reservations: Reservations; untilMs: number }>();
  return ({ uuid, attempt, deadlineMs }) => {
    const key = `${uuid} ${attempt}`;
    const known = attempts.get(key);
    if (known !== undefined) return known.reservations;
    for (const [past, { untilMs }] of attempts) {
      if (untilMs > clock.now()) break;
      attempts.delete(past);
    }
    const reservations = reservationsOfAttempt();
    attempts.set(key, { reservations, untilMs: deadlineMs });
    return reservations;
  };
}

function reservationsOfAttempt(): Reservations {
  const own = new Set<number>();
  let last: Promise<unknown> = Promise.resolve();

  function reserve(make: (own: readonly number[]) => Promise<Reserved>): Promise<Reserved> {
    const made = last.then(async () => {
      const reserved = await make([...own]);
      own.add(reserved.id);
      return reserved;
    });
    last = made.catch(() => undefined);
    return made;
  }

  return {
    reserve,
    settled: (id) => {
      own.delete(id);
    },
  };
}
