import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import {
  type Amounts,
  addReservation,
  addUse,
  deadReservations,
  deploymentPostReads,
  type Spender,
  takeReservation,
} from "./spending-rows.ts";

export type ReservationRequest = Spender & {
  amounts: Amounts;
  jobUuid: string;
  attempt: number;
  /** This attempt's unsettled calls. */
  ownIds: readonly number[];
  maxPostReads: number | null;
  nowMs: number;
};

export type NewReservation = { id: number; monthPostReads: number };

export type SpendingOperations = typeof spendingOperations;

/** The age at which an unsettled reservation counts as dead. */
const lostAfterMs = 86_400_000;

export const spendingOperations = {
  /**
   * Reserves the maximum cost. Errors: `paid_call_repeated` if an earlier attempt was lost during a
   * call, `budget_used_up`.
   */
  reserveSpending: durable(function* (
    database,
    request: ReservationRequest,
  ): Steps<NewReservation> {
    const { amounts, jobUuid, attempt, ownIds, maxPostReads, nowMs, ...spender } = request;
    yield* spendDeadReservations(database, nowMs - lostAfterMs);
    if (yield* hasLostCall(database, jobUuid, ownIds)) throw paidCallRepeated(spender.platform);
    const spentReads = yield* deploymentPostReads(database, spender);
    const isLimited = maxPostReads !== null && spender.owner === "deployment";
    if (isLimited && amounts.postReads > 0 && spentReads + amounts.postReads > maxPostReads) {
      throw budgetUsedUp(spender.month, amounts.postReads, { spentReads, maxReads: maxPostReads });
    }
    const id = yield* addReservation(database, { ...spender, ...amounts, jobUuid, attempt, nowMs });
    return { id, monthPostReads: yield* deploymentPostReads(database, spender) };
  }),

  /** A missing reservation has already been counted in full. */
  settleSpending: durable(function* (
    database,
    { id, amounts }: { id: number; amounts: Amounts },
  ): Steps<null> {
    const reservation = yield* takeReservation(database, id);
    if (reservation !== null) yield* addUse(database, reservation, amounts);
    return null;
  }),

  correctSpending: durable(function* (
    database,
    correction: Spender & { amounts: Amounts },
  ): Steps<null> {
    yield* addUse(database, correction, correction.amounts);
    return null;
  }),

  readPostReads: read(function* (
    database,
    spender: Pick<Spender, "month" | "platform">,
  ): Steps<number> {
    return yield* deploymentPostReads(database, spender);
  }),
};

/** Lost attempts may have been billed. */
function* spendDeadReservations(database: Database, beforeMs: number): Steps<void> {
  for (const reservation of yield* deadReservations(database, beforeMs)) {
    yield* addUse(database, reservation, reservation);
    yield* takeReservation(database, reservation.id);
  }
}

function* hasLostCall(
  database: Database,
  jobUuid: string,
  ownIds: readonly number[],
): Steps<boolean> {
  const unsettledReservations = yield* database.all<{ id: number }>(
    "SELECT id FROM upstream_reservation WHERE job_uuid = :jobUuid",
    { jobUuid },
  );
  return unsettledReservations.some(({ id }) => !ownIds.includes(id));
}

function paidCallRepeated(platform: string): EarshotError {
  return new EarshotError(
    "paid_call_repeated",
    `an earlier attempt at this job was lost during a call to ${platform} that may have been billed, so it is not repeated`,
    { status: 502, hint: "submit the search again if you accept another charge" },
  );
}

function budgetUsedUp(
  month: string,
  requested: number,
  { spentReads, maxReads }: { spentReads: number; maxReads: number },
): EarshotError {
  const remaining = Math.max(0, maxReads - spentReads);
  return new EarshotError(
    "budget_used_up",
    `the call may read ${requested} posts, but only ${remaining} of ${maxReads} (EARSHOT_X_MONTHLY_POST_READS) are left until ${monthEnd(month)}`,
    { status: 502, hint: "request fewer, use your own credential, or raise the setting" },
  );
}

function monthEnd(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return isoTime(Date.UTC(year, number, 1)).replace(".000Z", "Z");
}
