import type {
  KeyChange,
  KeyLimitsResponse,
  KeyListingResponse,
  NewKeyRequest,
} from "../../../../src/http/dashboard/contract/keys.ts";
import type { Method } from "../../../../src/platforms/methods.ts";
import type { ApiProblem } from "../../api.ts";

export type ExpiryChoice = "never" | "30" | "90" | "date";

/** Field values as entered. */
export type KeyForm = {
  name: string;
  methodScope: "all" | "some";
  methods: readonly Method[];
  expiry: ExpiryChoice;
  /** Such as `2026-11-22`; the key expires at its end. */
  day: string;
  requests: string;
  searches: string;
};

type KeyFormField = "name" | "methods" | "expires" | "requests" | "searches";
export type KeyFormErrors = Partial<Record<KeyFormField, string>>;

export const emptyKeyForm: KeyForm = {
  name: "",
  methodScope: "all",
  methods: ["searchbyquery"],
  expiry: "90",
  day: "",
  requests: "",
  searches: "",
};

const dayMs = 86_400_000;

export function keyToForm(key: KeyListingResponse): KeyForm {
  const { name, methods, expires_at: expiresAt } = key;
  const expiry = { expiry: "date" as const, day: expiresAt === null ? "" : localDay(expiresAt) };
  return {
    name,
    methodScope: methods === null ? "all" : "some",
    methods: methods ?? emptyKeyForm.methods,
    ...(expiresAt === null ? { expiry: "never" as const, day: "" } : expiry),
    requests: key.requests_per_second === null ? "" : String(key.requests_per_second),
    searches: key.submissions_per_minute === null ? "" : String(key.submissions_per_minute),
  };
}

/** `limits` are those of the account. */
export function checkForm(form: KeyForm, limits: KeyLimitsResponse, nowMs: number): KeyFormErrors {
  const errors: KeyFormErrors = {};
  if (form.name.trim() === "") errors.name = "Enter a name, such as laptop.";
  if (form.methodScope === "some" && form.methods.length === 0) {
    errors.methods = "Select at least one method.";
  }
  if (form.expiry === "date") {
    const endMs = dayEnd(form.day);
    if (endMs === null) errors.expires = "Select the last valid day.";
    else if (endMs <= nowMs) errors.expires = "That day is in the past.";
  }
  const requests = rateError(form.requests, limits.requests_per_second, "requests per second");
  const searches = rateError(form.searches, limits.submissions_per_minute, "searches per minute");
  if (requests !== null) errors.requests = requests;
  if (searches !== null) errors.searches = searches;
  return errors;
}

/** The form must be valid. */
export function formToRequest(form: KeyForm, nowMs: number): Required<NewKeyRequest> {
  const rate = (text: string) => (text.trim() === "" ? null : Number(text));
  return {
    name: form.name.trim(),
    methods: form.methodScope === "all" ? null : form.methods,
    requests_per_second: rate(form.requests),
    submissions_per_minute: rate(form.searches),
    expires_at: formExpiry(form, nowMs),
  };
}

/** Only the changed fields. */
export function formChanges(form: KeyForm, stored: KeyForm, nowMs: number): KeyChange {
  const [current, original] = [formToRequest(form, nowMs), formToRequest(stored, nowMs)];
  const isExpirySame = form.expiry === stored.expiry && form.day === stored.day;
  const { expires_at: expiresAt, ...rest } = current;
  const changedEntries = Object.entries(rest).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(original[name as keyof typeof rest]),
  );
  return {
    ...Object.fromEntries(changedEntries),
    ...(isExpirySame ? {} : { expires_at: expiresAt }),
  };
}

const pointers: Readonly<Record<string, KeyFormField>> = {
  name: "name",
  methods: "methods",
  expires_at: "expires",
  requests_per_second: "requests",
  submissions_per_minute: "searches",
};

/** The server's errors by field. */
export function problemErrors(problem: ApiProblem): KeyFormErrors {
  const errors: KeyFormErrors = {};
  for (const { pointer, message, hint } of problem.details) {
    const field = pointers[pointer?.split("/")[1] ?? ""];
    if (field === undefined) continue;
    const text = hint === undefined ? message : `${message}: ${hint}`;
    errors[field] ??= `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }
  return errors;
}

function rateError(text: string, max: number | null, unit: string): string | null {
  if (text.trim() === "") return null;
  if (!/^\d+$/.test(text.trim()) || Number(text) < 1) {
    return "Enter a whole number from 1, or leave empty for the account's limit.";
  }
  return max !== null && Number(text) > max ? `The account's limit is ${max} ${unit}.` : null;
}

function formExpiry({ expiry, day }: KeyForm, nowMs: number): string | null {
  if (expiry === "never") return null;
  const endMs = expiry === "date" ? dayEnd(day) : nowMs + Number(expiry) * dayMs;
  return endMs === null ? null : new Date(endMs).toISOString();
}

/** The day's end in the local zone; null if invalid. */
function dayEnd(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const ms = new Date(`${day}T23:59:59`).getTime();
  return Number.isNaN(ms) ? null : ms;
}

function localDay(iso: string): string {
  const date = new Date(iso);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
