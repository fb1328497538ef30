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
  /** Each entry is a row of docs/platforms.md. */
  support: Readonly<Record<Method, MethodSupport>>;
  /**
   * Keeps the platform's order; empty if the subject does not exist or is not visible.
   * Errors: `upstream_refused`.
   */
  page(call: PageCall, session: Session): Promise<UpstreamPage>;
  /** Absent if each method has one. */
  routes?: (method: FetchMethod, access: AccessKind) => readonly Route[];
  /** Null if there is none or it may not be used. */
  search: UpstreamSearch | null;
  /** Null if nothing is public. */
  publicBaseUrl: string | null;
  /** For a target that names a server, if `publicBaseUrl` is null. */
  publicOrigin?: (target: Target | null) => string | null;
  /** Null without rate-limit headers. */
  readLimit(headers: Headers, status: number, nowMs: number): Limit | null;
  /** Between an answer and the bucket's next request; absent or 0 permits concurrent requests. */
  intervalMs?: (bucket: string) => number;
  /** Millionths of a dollar; null if free. */
  computePrice: ((bill: Bill) => number) | null;
  /** In addition to `ownMethods` of methods.ts. */
  ownMethods?: readonly Method[];
  /** For posts fetched with this owner's credential. */
  displayScope(owner: Session["owner"]): "everything" | "ids";
};

export type Route = {
  name: string;
  /** How far back the route reaches; null for posts of any age. */
  reachMs: number | null;
  /** Among routes of equal reach the cheapest is used. */
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
  /** A platform's minimum may exceed it. */
  limit: number;
  /** On the first page. */
  route?: string;
  /** Exclusive; set when continuing after a limited route. */
  toMs?: number | null;
};

export type UpstreamPage = {
  items: readonly UpstreamItem[];
  next: string | null;
  /** Including items left out; absent if none were. */
  received?: number;
  oldestMs?: number;
  /** Nothing older was returned, although requested; absent if all was. */
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
  /** Newest first, a superset of the matches. Null if nothing on this platform can match. */
  page(call: SearchCall, session: Session): Promise<UpstreamPage | null>;
};

export type SearchCall = {
  tree: QueryNode;
  /** Resolved by the archive. */
  names: ResolvedNames;
  /** `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
  fromMs: number | null;
  toMs: number;
  asOfMs: number;
  cursor: string | null;
  limit: number;
  route?: string;
};

export type FetchPosition = {
  platform: Platform;
  /** A timeline belongs to one account. */
  credentialId: string | null;
  /** Null: the first page. */
  cursor: string | null;
  /** Hash of that page's last returned item. */
  lastKey: string | null;
  skip: number;
  route?: string | undefined;
  toMs?: number | undefined;
  /** The node that has the credential; absent for the gateway's own. */
  nodeId?: string;
};
