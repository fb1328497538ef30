import type {
  AccountSpending,
  SpendingResponse,
} from "../../../../src/http/dashboard/contract/account.ts";
import { percentFigure, quantityText, wholeNumber } from "../../numbers.ts";

export type DeploymentSpending = NonNullable<SpendingResponse["deployment"]>;

const nearlySpentShare = 0.9;

export function isNearlySpent({
  post_reads: reads,
  most_post_reads: max,
}: DeploymentSpending): boolean {
  return reads >= nearlySpentShare * max;
}

/** "1,234 of 10,000 posts read (12 %)" */
export function budgetText({
  post_reads: reads,
  most_post_reads: max,
}: DeploymentSpending): string {
  const { value, unit } = percentFigure(reads, max);
  return `${wholeNumber(reads)} of ${wholeNumber(max)} posts read (${value} ${unit})`;
}

const dollarFormat = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? "less than $0.01" : dollarFormat.format(usd);
}

/** "$0.63 for 120 posts and 3 profiles" */
export function spentText({
  usd,
  post_reads: posts,
  user_reads: profiles,
}: AccountSpending): string {
  return `${dollars(usd)} for ${quantityText(posts, "post")} and ${quantityText(profiles, "profile")}`;
}
