import type { UpstreamRemark } from "../upstream.ts";

/** Remarks that pages repeat, each once. */
export function distinctRemarks(remarks: readonly UpstreamRemark[]): UpstreamRemark[] {
  const byText = new Map(remarks.map((remark) => [`${remark.code} ${remark.message}`, remark]));
  return [...byText.values()];
}
