import type { Method } from "../../../platforms/methods.ts";

/** GET /dashboard/api/apps. */
export type AppListing = {
  id: string;
  name: string;
  /** Host of the client's metadata document. */
  host: string;
  methods: readonly Method[];
  created_at: string;
  used_at: string | null;
  used_from: string | null;
  /** Later if the app refreshes its tokens. */
  expires_at: string;
};
export type AppsResponse = { apps: readonly AppListing[] };

/** POST /dashboard/api/authorizations {query}: what an app requests. */
export type AuthorizationResponse = {
  client_name: string;
  client_host: string;
  redirect_host: string;
  is_loopback: boolean;
} & (
  | { kind: "consent"; ticket: string; methods: readonly Method[] }
  /** `location` returns the error to the app. */
  | { kind: "refused"; reason: string; location: string }
);

/** POST /dashboard/api/authorizations/decision. A decision without methods denies access. */
export type DecisionResponse = { location: string };
