import { EarshotError } from "../../lib/errors.ts";

const dismissals: readonly string[] = ["superseded", "node_removed"];

/**
 * Whether a gateway has sent the node away for good, however it stood before: another run has its place, or an operator has
 * removed it. To come again does not mend that.
 */
export const isDismissal = (fault: unknown): boolean =>
  fault instanceof EarshotError &&
  fault.code === "node_refused" &&
  fault.details.some(({ code }) => dismissals.includes(code));
