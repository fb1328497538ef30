import type { EarshotError } from "../../lib/errors.ts";
import type { UpstreamRemark } from "../upstream.ts";

/** Pages in a row that may bring nothing before a reading ends. */
export const mostIdlePages = 3;

/** The hint where a cursor leads on. */
export const goOn = "continue with next_cursor";

/** A fault ended a reading of which a part was read. */
export const brokenOff = ({ message, hint }: EarshotError): UpstreamRemark => ({
  code: "upstream_broke_off",
  message: `reading ended early: ${message}`,
  hint: hint ?? goOn,
});

/** A later page says that what the ones before were of is not there. `name` is the platform's, as in all of these. */
export const gone = (name: string): UpstreamRemark => ({
  code: "upstream_gone",
  message: `${name} no longer shows what was asked for: what follows on the pages before cannot be had`,
});

/** Pages lead in a circle. */
export const repeats = (name: string): UpstreamRemark => ({
  code: "upstream_repeats",
  message: `${name} gave the same pages again: what follows cannot be had`,
});

/** Pages are empty as they are sent, though each names another; `hint` tells what can be done. */
export const emptyPages = (name: string, hint: string): UpstreamRemark => ({
  code: "upstream_empty_pages",
  message: `${name} gave ${mostIdlePages} pages in a row with nothing in them, and each says that more follows`,
  hint,
});

/** A job has used up its pages. */
export const tooManyPages = (name: string, maxPages: number): UpstreamRemark => ({
  code: "page_limit_reached",
  message: `${maxPages} pages of ${name} were read, and there are more`,
  hint: `${goOn}; EARSHOT_UPSTREAM_MAX_PAGES is the bound`,
});

/** All pages that may be read were of one moment. */
export const stuck = (name: string, pages: number): UpstreamRemark => ({
  code: "upstream_repeats",
  message: `${pages} pages of ${name} led to nothing older: what it has of that time is not all read`,
});

/** The time of a job is over. */
export const outOfTime = (name: string): UpstreamRemark => ({
  code: "deadline_reached",
  message: `the search ran out of time before it had read all that ${name} has`,
  hint: goOn,
});
