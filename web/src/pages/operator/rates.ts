import type { AccountListingResponse } from "../../../../src/http/dashboard/contract/operator.ts";

/** "5 requests per second"; null means the default. */
export function rateText(rate: number | null, singular: "request" | "search", per: string): string {
  const plural = singular === "search" ? "searches" : "requests";
  if (rate === null) return `default ${plural} ${per}`;
  return `${rate.toLocaleString("en-US")} ${rate === 1 ? singular : plural} ${per}`;
}

export function limitsSentence({
  requests_per_second: requests,
  submissions_per_minute: searches,
}: AccountListingResponse["limits"]): string {
  if (requests === null && searches === null) return "Default limits.";
  const text = `${rateText(requests, "request", "per second")}, ${rateText(searches, "search", "per minute")}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const maxRate = 1_000_000;

/** Null if valid. An empty field means the default. */
export function rateError(text: string): string | null {
  if (text.trim() === "") return null;
  const isRate = /^\d{1,7}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= maxRate;
  return isRate
    ? null
    : "Enter a whole number from 1 to 1,000,000, or leave empty for the default.";
}

export function parseRate(text: string): number | null {
  return text.trim() === "" ? null : Number(text.trim());
}
