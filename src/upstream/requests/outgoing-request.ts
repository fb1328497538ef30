import type { Clock } from "../../lib/clock.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { Access } from "./access-methods.ts";
import type { Patience, PauseBounds, RateLimits } from "./limits.ts";
import type { UpstreamJob } from "./sessions.ts";
import type { PaidCall } from "./spending.ts";

export type RequestOutcome =
  | "answered"
  | "refused"
  | "limited"
  | "failed"
  | "timeout"
  | "unreachable"
  | "unreadable"
  | "credential_refused";

export type SendContext = {
  clock: Clock;
  random: () => number;
  limits: RateLimits;
  tries: number;
  retryPauses: PauseBounds;
  maxValues: number;
  onOutcome: (outcome: RequestOutcome) => void;
};

export type OutgoingRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  bucket: string;
  access: Access;
  readLimit: Upstream["readLimit"];
  intervalMs: number;
  patience: Patience;
  job: UpstreamJob;
  paid: PaidCall | null;
};
