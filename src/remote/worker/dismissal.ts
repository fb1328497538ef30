import { EarshotError } from "../../lib/errors.ts";

/** Whether a gateway has dismissed the node for good: another run replaced it, or an operator removed it. */
export const isDismissal = (error: unknown): boolean =>
  error instanceof EarshotError &&
  error.code === "node_refused" &&
  error.details.some(({ code }) => code === "superseded" || code === "node_removed");
