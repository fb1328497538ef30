import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { Headers } from "undici";
import type { Platform, Post } from "../posts/post.ts";
import type { Profile, Space, Trend } from "../posts/profile.ts";
import type { FetchMethod, Method } from "./methods.ts";
import type { Bill, Session } from "./session.ts";
import type { Target } from "./target.ts";

/**
 * A platform's official API. A platform is one folder that exports one `Upstream`; choice of
 * access, paging, retries, matching and rendering are shared (search/).
 *
 * `user`: an account's credential. `app`: an application token. `public`: no credential.
 */
export type AccessKind = "user" | "app" | "public";

export type Upstream = {
  platform: Platform;
  /** Each entry is a row of docs/platforms.md. */
  support: Readonly<Record<Method, MethodSupport>>;
  /**
   * One page of a fetch method, in the platform's order; empty if the subject does not exist or is
   * not visible. Errors: `upstream_refused` for any other refusal.
   */
  page(call: PageCall, session: Session): Promise<UpstreamPage>;
  /** Absent if each fetch method has a single route that covers everything. */
  routes?: (method: FetchMethod, access: AccessKind) => readonly Route[];
  /** Null if there is no search, or none that may be used. */
  search: UpstreamSearch | null;
  /** Origin of requests without a credential; null if nothing is public. */
  publicBaseUrl: string | null;
  /**
   * Origin of such requests that a target names, if `publicBaseUrl` is null. Absent if queries
   * never name a server.
   */
  publicOriginOf?: (target: Target | null) => string | null;
  /** The bucket's; null without rate-limit headers. */
  limitOf(headers: Headers, status: number, nowMs: number): Limit | null;
  /**
   * Minimum milliseconds between an answer and the bucket's next request; absent or 0 permits
   * concurrent requests.
   */
  intervalMs?: (bucket: string) => number;
  /** In millionths of a dollar; null if free. */
  priceOf: ((bill: Bill) => number) | null;
  /**
   * Methods, besides those in methods.ts, whose results may be shown only to the credential's
   * owner; they require an account's own credential.
   */
  ownMethods?: readonly Method[];
  /** What callers may see of data fetched with their own credential, the deployment's, or none. */
  mayShow(owner: Session["owner"]): "everything" | "ids";
};

/** One of several endpoints for a method with one kind of access. */
export type Route = {
  name: string;
  /** How far back it shows posts; null for all. */
  reachMs: number | null;
  /** Among routes of equal reach the cheapest is used. */
  cost: number;
};

export const anyRoute: Route = { name: "only", reachMs: null, cost: 0 };
export const onlyRoute: readonly Route[] = [anyRoute];

/** In the current rate-limit window. */
export type Limit = { remaining: number; resetMs: number };

export type MethodSupport =
  | {
      access: readonly AccessKind[];
      /** As the platform documents it. */
      endpoint: string;
      /** Deviations from what the method promises; empty if none. */
      note: string;
    }
  /** No equivalent; `closest` is a sentence. */
  | { access: readonly []; closest: string };

export type PageCall = {
  method: FetchMethod;
  target: Target | null;
  /** `next` of the previous page. */
  cursor: string | null;
  /** A page may contain more if the platform has a minimum size. */
  limit: number;
  /** Of a first page, if there are several; a cursor continues its own route. */
  route?: string;
  /** End of the posts wanted, exclusive; set when continuing after a route of limited reach. */
  toMs?: number | null;
};

export type UpstreamPage = {
  items: readonly UpstreamItem[];
  /** Opaque; null on the last page. */
  next: string | null;
  /** Items received before any were left out; absent if none were. */
  received?: number;
  /** Time of the oldest received post, including those left out. */
  oldestMs?: number;
  /**
   * The platform returned nothing older than this although it was requested; absent if it returned
   * all.
   */
  sinceMs?: number;
  /** An item occurred more than once. */
  hasRepeats?: boolean;
  /**
   * The subject does not exist or is not visible. On a continued page this means that items were
   * lost.
   */
  isAbsent?: boolean;
  /** About this page, such as that the platform shows only a part. */
  remarks?: readonly UpstreamWarning[];
};

export type UpstreamWarning = {
  code: string;
  message: string;
  hint?: string;
  /** Requested items may be missing: the answer is incomplete. */
  isPartial?: boolean;
};

export type UpstreamItem =
  | { kind: "post"; post: Post }
  | { kind: "profile"; profile: Profile }
  | { kind: "trend"; trend: Trend }
  | { kind: "space"; space: Space };

export type UpstreamSearch = {
  routes(access: AccessKind): readonly Route[];
  /** Search finds everything, so a fully searched window counts as covered. */
  isExhaustive: boolean;
  /**
   * One page, newest first: a superset of the matches. What the platform cannot express is widened
   * (narrowed under a negation), and the matcher checks each post. Null if nothing on this platform
   * can match.
   */
  page(call: SearchCall, session: Session): Promise<UpstreamPage | null>;
};

export type SearchCall = {
  tree: QueryNode;
  /** Resolved by the archive. */
  names: ResolvedNames;
  /** `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
  fromMs: number | null;
  toMs: number;
  /** `within_time:` counts back from it. */
  asOfMs: number;
  cursor: string | null;
  limit: number;
  /** See `PageCall`. */
  route?: string;
};

export type FetchPosition = {
  platform: Platform;
  /** Of the previous page, because a timeline belongs to one account. */
  credentialId: string | null;
  /** The platform's page; null is the first. */
  cursor: string | null;
  /** The last item already returned of that page, and how many were. */
  lastKey: string | null;
  skip: number;
  /** See `PageCall`. */
  route?: string | undefined;
  toMs?: number | undefined;
  /** The node with this credential; absent for the gateway's own. */
  nodeId?: string;
};
