import type { FastifyRequest } from "fastify";
import type { PendingAdmission } from "../../jobs/submissions/submission.ts";
import type { HttpContext } from "../context.ts";
import { recordAdmission } from "../middleware/caller.ts";
import type { SearchPermit } from "./search-permit.ts";

/** Null if the request is already admitted. `check` verifies a newly admitted caller, such as its methods. */
export function submissionAdmission(
  { limiter, clock }: Pick<HttpContext, "limiter" | "clock">,
  request: FastifyRequest,
  permit: SearchPermit,
  check: () => void,
): PendingAdmission | null {
  const pending = request.pendingAdmission;
  if (pending === null) return null;

  const write: PendingAdmission["write"] = async (search) => {
    // If the store fails, the caller is unknown, and another call would only wait again.
    Object.assign(request, { pendingAdmission: null, caller: null });
    const { admission, submitted } = await limiter.admitSearch(pending.recalled, search);
    if (admission === null) {
      Object.assign(request, { pendingAdmission: pending, caller: pending.recalled.caller });
      return submitted;
    }
    recordAdmission(request, admission, clock.elapsed());
    // The job has used the counted search.
    if (submitted !== null) request.countedSearch = null;
    return submitted;
  };

  return {
    write,
    admit: async () => {
      await request.pendingAdmission?.admit();
      check();
      await permit.take();
    },
  };
}
