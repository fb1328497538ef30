import { EarshotError } from "../../lib/errors.ts";

/** Permanent: replaced by another run, or removed by an operator. */
export const isDismissal = (error: unknown): boolean =>
  error instanceof EarshotError &&
  error.code === "node_refused" &&
  error.details.some(({ code }) => code === "superseded" || code === "node_removed");
