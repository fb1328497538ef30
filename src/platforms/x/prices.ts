import type { Bill } from "../session.ts";

/** Millionths of a dollar: https://docs.x.com/x-api/getting-started/pricing as of 2026-08-22, "Credit consumption details". */
const postReadMicroUsd = 5_000;
const userReadMicroUsd = 10_000;
const requestMicroUsd = 10_000;

/**
 * An upper bound: X bills a post or account once a day (UTC), and less for the
 * application owner's resources.
 */
export function billPrice({ postReads = 0, userReads = 0, requests = 0 }: Bill): number {
  return postReads * postReadMicroUsd + userReads * userReadMicroUsd + requests * requestMicroUsd;
}
