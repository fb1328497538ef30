import { createAdmittedCallers } from "../../accounts/admitted-callers.ts";
import { createLimiter, type Limiter } from "../../accounts/limiter.ts";
import type { Dashboard } from "../../http/context.ts";
import { createDashboardRole } from "../roles/dashboard.ts";
import type { Base } from "./base.ts";

export type Accounts = {
  readonly limiter: Limiter;
  readonly dashboard: Dashboard;
  closeSignIn(): Promise<void>;
};

export function makeAccounts({ config, store, clock, secrets, sharing }: Base): Accounts {
  const { secretKey } = secrets;
  const { dashboard, close } = createDashboardRole({ config, store, secretKey, clock });
  const { isShared } = sharing.gateway;
  const admittedCallers = isShared ? createAdmittedCallers(clock) : null;
  const limiter = createLimiter(store, clock, config.limits, admittedCallers);
  return { limiter, dashboard, closeSignIn: close };
}
