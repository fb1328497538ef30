import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { Headers } from "undici";
import type { Platform, Post } from "../posts/post.ts";
import type { Profile, Space, Trend } from "../posts/profile.ts";
import type { FetchMethod, Method } from "./methods.ts";
import type { Bill, Session } from "./session.ts";
import type { Target } from "./target.ts";

export type AccessKind = "user" | "app" | "public";

export type Upstream = {
  platform: Platform;
  /** Each entry is a row in docs/platforms.md. */
  support: Readonly<Record<Method, MethodSupport>>;
  /**
   * In the platform's order; empty if the subject does not exist or is not visible. Errors:
   * `upstream_refused`.
   */
  page(call: PageCall, session: Session): Promise<UpstreamPage>;
  /** Absent if each method has only one route. */
  routes?: (method: FetchMethod, access: AccessKind) => readonly Route[];
  /** Null if there is no search or it may not be used. */
  search: UpstreamSearch | null;
  /** Null if nothing is public. */
  publicBaseUrl: string | null;
  /** For a target that names a server; used if `publicBaseUrl` is null. */
  publicOrigin?: (target: Target | null) => string | null;
  /** Null without rate-limit headers. */
  readLimit(headers: Headers, status: number, nowMs: number): Limit | null;
  /**
   * Minimum time between a response and the bucket's next request; absent or 0 permits concurrent
   * requests.
   */
  intervalMs?: (bucket: string) => number;
  /** In millionths of a dollar; null if free. */
  computePrice: ((bill: Bill) => number) | null;
  /** In addition to `ownMethods` in methods.ts. */
  ownMethods?: readonly Method[];
  /** What may be shown of posts fetched with this owner's credential. */
  displayScope(owner: Session["owner"]): "everything" | "ids";
};

export type Route = {
  name: string;
  /** How far back the route reaches; null for posts of any age. */
  reachMs: number | null;
  /** Among routes with equal reach, the cheapest is used. */
  cost: number;
};

export const anyRoute: Route = { name: "only", reachMs: null, cost: 0 };
export const onlyRoute: readonly Route[] = [anyRoute];

/** Requests left in the current window, and its end. */
export type Limit = { remaining: number; resetMs: number };

export type MethodSupport =
  | {
      access: readonly AccessKind[];
      endpoint: string;
      /** Deviations from what the method promises. */
      note: string;
    }
  /** No equivalent; `closest` is a sentence. */
  | { access: readonly []; closest: string };

export type PageCall = {
  method: FetchMethod;
  target: Target | null;
  cursor: string | null;
  /** A platform's minimum may be larger. */
  limit: number;
  /** The route of the first page. */
  route?: string;
  /** Exclusive; set when continuing after a route with limited reach. */
  toMs?: number | null;
};

export type UpstreamPage = {
  items: readonly UpstreamItem[];
  next: string | null;
  /** Includes omitted items; absent if none were omitted. */
  received?: number;
  oldestMs?: number;
  /** Items older than this are missing although they were requested; absent if none are. */
  sinceMs?: number;
  hasRepeats?: boolean;
  /** The subject is missing or not visible; on a continued page, items were lost. */
  isAbsent?: boolean;
  warnings?: readonly UpstreamWarning[];
};

export type UpstreamWarning = {
  code: string;
  message: string;
  hint?: string;
  /** The answer is incomplete. */
  isPartial?: boolean;
};

export type UpstreamItem =
  | { kind: "post"; post: Post }
  | { kind: "profile"; profile: Profile }
  | { kind: "trend"; trend: Trend }
  | { kind: "space"; space: Space };

export type UpstreamSearch = {
  routes(access: AccessKind): readonly Route[];
  /** A fully searched window counts as covered. */
  isExhaustive: boolean;
  /**
   * Returns a superset of the matches, newest first. Null if nothing on this platform can match.
   */
  page(call: SearchCall, session: Session): Promise<UpstreamPage | null>;
};

export type SearchCall = {
  tree: QueryNode;
  /** As the archive resolved them. */
  names: ResolvedNames;
  /** `fromMs` is inclusive (null means unbounded), `toMs` exclusive. */
  fromMs: number | null;
  toMs: number;
  asOfMs: number;
  cursor: string | null;
  limit: number;
  route?: string;
};

export type FetchPosition = {
  platform: Platform;
  /** A timeline belongs to one credential's account. */
  credentialId: string | null;
  /** Null means the first page. */
  cursor: string | null;
  /** Hash of the last item returned from that page. */
  lastKey: string | null;
  skip: number;
  route?: string | undefined;
  toMs?: number | undefined;
  /** The node that has the credential; absent if the gateway has it. */
  nodeId?: string;
};
