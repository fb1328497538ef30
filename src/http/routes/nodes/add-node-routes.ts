import type { HttpContext } from "../../context.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import type { TypedApp } from "../typed-app.ts";
import { addChallengeRoute } from "./challenge.ts";
import { addCompleteRoute } from "./complete.ts";
import { addFailRoute } from "./fail.ts";
import { addLeaseRoute } from "./lease.ts";
import { addLeaveRoute } from "./leave.ts";
import { addRegisterRoute } from "./register.ts";
import { addRenewRoute } from "./renew.ts";

export function addNodeRoutes(
  app: TypedApp,
  context: HttpContext,
  pendingRequests: PendingRequests,
): void {
  addChallengeRoute(app, context);
  addRegisterRoute(app, context);
  addLeaseRoute(app, context, pendingRequests);
  addRenewRoute(app, context);
  addCompleteRoute(app, context);
  addFailRoute(app, context);
  addLeaveRoute(app, context);
}
