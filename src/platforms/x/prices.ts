import type { Bill } from "../session.ts";

/**
 * What X bills, in millionths of a dollar. Source: https://docs.x.com/x-api/getting-started/pricing as of 2026-08-22, "Credit
 * consumption details": "Posts: Read" $0.005 a resource, "User: Read" and "Following/Followers: Read" $0.010 a resource,
 * "Space: Read" $0.005 a resource, "Trends" $0.010 a request.
 */
const postReadMicroUsd = 5_000;
const userReadMicroUsd = 10_000;
const requestMicroUsd = 10_000;

/**
 * What a bill comes to. X bills a post or an account once a day (UTC) and takes less for what belongs to the owner of the
 * application; neither is reckoned here, so what this tells may be more than X asks, and is never less.
 */
export function priceOf({ postReads = 0, userReads = 0, requests = 0 }: Bill): number {
  return postReads * postReadMicroUsd + userReads * userReadMicroUsd + requests * requestMicroUsd;
}
