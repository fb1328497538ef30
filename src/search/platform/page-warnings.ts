import type { EarshotError } from "../../lib/errors.ts";
import { isoText } from "../../lib/iso-time.ts";
import type { Method } from "../../platforms/methods.ts";
import type { UpstreamWarning } from "../../platforms/upstream.ts";

export const maxIdlePages = 3;

export const continueHint = "continue with next_cursor";

export const endedEarlyWarning = ({ message, hint }: EarshotError): UpstreamWarning => ({
  code: "upstream_broke_off",
  message: `the search ended early: ${message}`,
  hint: hint ?? continueHint,
  isPartial: true,
});

export const pageUnavailableWarning = (name: string): UpstreamWarning => ({
  code: "upstream_gone",
  message: `${name} no longer shows the requested items: later ones are missing`,
  isPartial: true,
});

export const olderItemsMissingWarning = (
  { method, platform }: { method: Method; platform: string },
  { sinceMs }: { sinceMs: number | null },
  hint: string | undefined,
): UpstreamWarning => ({
  code: method === "getreplies" ? "recent_replies_only" : "recent_posts_only",
  message: `${platform} was read back only to ${isoText(sinceMs ?? 0)}; older items are missing`,
  ...(hint === undefined ? {} : { hint }),
});

export const repeatedPagesWarning = (name: string): UpstreamWarning => ({
  code: "upstream_repeats",
  message: `${name} repeated pages: later items are missing`,
  isPartial: true,
});

export const repeatedItemsWarning = (name: string): UpstreamWarning => ({
  code: "upstream_repeats",
  message: `${name} returned an item more than once: others may be missing`,
  isPartial: true,
});

export const outOfOrderWarning = (name: string): UpstreamWarning => ({
  code: "upstream_out_of_order",
  message: `${name} returned posts out of time order: others may be missing`,
  isPartial: true,
});

export const emptyPagesWarning = (name: string, hint: string): UpstreamWarning => ({
  code: "upstream_empty_pages",
  message: `${name} returned ${maxIdlePages} empty pages in a row, each with a next page`,
  hint,
  isPartial: true,
});

export const tooManyPagesWarning = (name: string, maxPages: number): UpstreamWarning => ({
  code: "page_limit_reached",
  message: `${name} has more than ${maxPages} pages`,
  hint: `${continueHint}; EARSHOT_UPSTREAM_MAX_PAGES sets the limit`,
  isPartial: true,
});

export const stuckWarning = (name: string, pages: number): UpstreamWarning => ({
  code: "upstream_repeats",
  message: `${pages} pages of ${name} contained nothing older: posts may be missing`,
  isPartial: true,
});

export const searchTimeoutWarning = (name: string): UpstreamWarning => ({
  code: "deadline_reached",
  message: `the search timed out before the end of ${name}'s pages`,
  hint: continueHint,
  isPartial: true,
});
