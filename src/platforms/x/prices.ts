import type { Bill } from "../session.ts";

/**
 * X's prices in millionths of a dollar. Source: https://docs.x.com/x-api/getting-started/pricing as
 * of 2026-08-22, "Credit consumption details": "Posts: Read" $0.005 a resource, "User: Read" and
 * "Following/Followers: Read" $0.010 a resource, "Space: Read" $0.005 a resource, "Trends" $0.010 a
 * request.
 */
const postReadMicroUsd = 5_000;
const userReadMicroUsd = 10_000;
const requestMicroUsd = 10_000;

/**
 * An upper bound: X bills a post or account once a day (UTC), and less for resources of the
 * application's owner.
 */
export function priceOf({ postReads = 0, userReads = 0, requests = 0 }: Bill): number {
  return postReads * postReadMicroUsd + userReads * userReadMicroUsd + requests * requestMicroUsd;
}
