import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Bill } from "../../platforms/session.ts";
import type { SourceCost } from "../../platforms/source.ts";
import type { NewReservation, SpendingOperations } from "./operations.ts";
import type { Reservations } from "./reservations.ts";
import type { UpstreamJob } from "./sessions.ts";
import type { Amounts, Spender } from "./spending-rows.ts";

export type Spending = {
  call(bill: Bill): PaidCall;
  cost(): SourceCost;
};

export type PaidCall = {
  /**
   * Reserves the maximum cost, once for all tries. Errors: `budget_used_up`, `paid_call_repeated`.
   */
  reserve(): Promise<void>;
  markBilled(): void;
  markUnbilled(): void;
  settle(bill: Bill): void;
};

export type SpendingContext = {
  store: Pick<Store<SpendingOperations>, "write">;
  clock: Clock;
  computePrice: (bill: Bill) => number;
  maxPostReads: number | null;
  spender: Omit<Spender, "month">;
  job: UpstreamJob;
  reservations: Reservations;
};

export function createSpending(context: SpendingContext): Spending {
  const { store, clock, maxPostReads, spender, job, reservations } = context;
  const isLimited = maxPostReads !== null && spender.owner === "deployment";
  let total = noAmounts;
  let month = utcMonth(clock.now());
  let monthPostReads = 0;

  const billAmounts = (bill: Bill): Amounts => {
    const counts = {
      postReads: boundedCount(bill.postReads),
      userReads: boundedCount(bill.userReads),
    };
    const units = { ...counts, requests: boundedCount(bill.requests) };
    return { ...units, microUsd: boundedCount(context.computePrice(units)) };
  };

  function call(bill: Bill): PaidCall {
    const max = billAmounts(bill);
    let reservation: Promise<NewReservation> | null = null;
    let reservedMonth = month;
    let isReserved = false;
    let maySettle = false;

    async function reserve(): Promise<void> {
      if (reservation !== null) {
        await reservation;
        return;
      }
      const nowMs = clock.now();
      reservedMonth = utcMonth(nowMs);
      reservation = reservations.reserve((ownIds) =>
        store.write("reserveSpending", {
          ...spender,
          month: reservedMonth,
          amounts: max,
          jobUuid: job.uuid,
          attempt: job.attempt,
          ownIds,
          maxPostReads,
          nowMs,
        }),
      );
      const { monthPostReads: reads } = await reservation;
      isReserved = true;
      month = reservedMonth;
      monthPostReads = reads;
    }

    /** A cost that cannot be written stays reserved, and counts in full. */
    function close(amounts: Amounts): void {
      if (!isReserved) return;
      spend(amounts);
      if (spender.owner === "deployment") monthPostReads += amounts.postReads - max.postReads;
      void reservation
        ?.then(async ({ id }) => {
          await store.write("settleSpending", { id, amounts });
          reservations.settle(id);
        })
        .catch(() => undefined);
    }

    function settle(finalBill: Bill): void {
      if (!maySettle) return;
      maySettle = false;
      const difference = subtractAmounts(billAmounts(finalBill), max);
      spend(difference);
      if (spender.owner === "deployment") monthPostReads += difference.postReads;
      if (Object.values(difference).every((value) => value === 0)) return;
      store
        .write("correctSpending", { ...spender, month: reservedMonth, amounts: difference })
        .catch(() => undefined);
    }

    function markBilled(): void {
      maySettle = isReserved;
      close(max);
    }

    return { reserve, markBilled, markUnbilled: () => close(noAmounts), settle };
  }

  function spend(amounts: Amounts): void {
    total = subtractAmounts(total, subtractAmounts(noAmounts, amounts));
  }

  return {
    call,
    cost: () => ({
      ...total,
      month: isLimited ? { name: month, postReads: monthPostReads, maxPostReads } : null,
    }),
  };
}

export const utcMonth = (ms: number): string => isoTime(ms).slice(0, 7);

const noAmounts: Amounts = { postReads: 0, userReads: 0, requests: 0, microUsd: 0 };

const subtractAmounts = (a: Amounts, b: Amounts): Amounts => ({
  postReads: a.postReads - b.postReads,
  userReads: a.userReads - b.userReads,
  requests: a.requests - b.requests,
  microUsd: a.microUsd - b.microUsd,
});

/** Bounds what a platform reports. */
const boundedCount = (reported: number | undefined): number =>
  reported === undefined || !Number.isFinite(reported)
    ? 0
    : Math.min(1e12, Math.max(0, Math.round(reported)));
