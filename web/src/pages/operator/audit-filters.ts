import { type AuditAction, auditActions } from "../../audit/audit-sentence.ts";

/** Values in the page's address. Days are local and inclusive. */
export type AuditFilters = {
  account?: string;
  action?: AuditAction;
  actor?: string;
  from?: string;
  to?: string;
};

const names = ["account", "action", "actor", "from", "to"] as const;

export function filtersIn(search: URLSearchParams): AuditFilters {
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name);
      return value === null || value === "" ? [] : [[name, value]];
    }),
  );
  const { action: actionName, from, to, ...rest } = values;
  const action = auditActions.find((known) => known === actionName);
  return {
    ...rest,
    ...(action === undefined ? {} : { action }),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}

export function auditPagePath(filters: AuditFilters): string {
  return withParameters("/audit", filters);
}

/** With times instead of days. */
export function auditPath({ from, to, ...rest }: AuditFilters): string {
  return withParameters("/dashboard/api/operator/audit", {
    ...rest,
    ...(from === undefined ? {} : { from: dayStart(from, 0) }),
    ...(to === undefined ? {} : { to: dayStart(to, 1) }),
  });
}

export function actionLabel(action: AuditAction): string {
  const words = action.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(`${text}T00:00`));

function dayStart(day: string, daysLater: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

function withParameters(path: string, parameters: AuditFilters): string {
  const query = new URLSearchParams(parameters);
  return query.size === 0 ? path : `${path}?${query}`;
}
