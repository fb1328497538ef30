import type { Method } from "../../../platforms/methods.ts";

/** GET /dashboard/api/keys, including those that ended in the last 30 days. */
export type KeysResponse = {
  keys: readonly KeyListingResponse[];
  max_keys: number;
  limits: KeyLimitsResponse;
};

/** Null means the account's limit. */
export type KeyLimitsResponse = {
  requests_per_second: number | null;
  submissions_per_minute: number | null;
};

export type KeyListingResponse = KeyLimitsResponse & {
  id: string;
  name: string;
  /** Visible part of the key: `ear_<id>_…`. */
  shown: string;
  /** `expiring` means rotated but still within the overlap. */
  state: "active" | "expiring" | "expired" | "revoked";
  methods: readonly Method[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Accurate to the minute. */
  used_at: string | null;
  /** Network, such as 192.0.2.0/24. */
  used_from: string | null;
  successor_id: string | null;
  left: { requests: number; submissions: number } | null;
};

/** POST /dashboard/api/keys, and …/keys/first (no body; 409 `first_key_shown` the second time). */
export type NewKeyRequest = {
  name: string;
  methods?: readonly Method[] | null;
  requests_per_second?: number | null;
  submissions_per_minute?: number | null;
  /** Null or absent means never. */
  expires_at?: string | null;
};
/** The only answer that contains the token. */
export type NewKeyResponse = { key: KeyListingResponse; token: string };

/** PATCH /dashboard/api/keys/<id>: absent members stay unchanged. */
export type KeyChange = Partial<NewKeyRequest>;

/** POST /dashboard/api/keys/<id>/rotate: the old key ends after the overlap. */
export type RotateKeyRequest = { overlap_hours: number };

/** GET /dashboard/api/keys/<id>/requests. */
export type KeyRequestsResponse = { requests: readonly KeyRequestListing[] };
export type KeyRequestListing = {
  /** From the header X-Request-Id. */
  id: string;
  at: string;
  method: string;
  /** The route template, such as /v1/search/live/:platform/status/:uuid. */
  route: string;
  status: number;
  code: string | null;
  duration_ms: number;
};
