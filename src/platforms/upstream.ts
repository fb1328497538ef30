import type { Headers } from "undici";
import type { Platform, Post } from "../posts/post.ts";
import type { Profile, Space, Trend } from "../posts/profile.ts";
import type { ResolvedNames } from "../query/make-plan.ts";
import type { QueryNode } from "../query/tree.ts";
import type { FetchMethod, Method } from "./methods.ts";
import type { Bill, Session } from "./session.ts";
import type { Target } from "./target.ts";

/**
 * What a platform's official interface can be asked. A platform is one folder that exports one `Upstream`; choosing how to
 * ask, paging, repeating, checking and rendering are done once for all of them (answer/).
 *
 * `user`: with the credential of an account. `app`: with a token of an application. `public`: by anyone.
 */
export type AccessKind = "user" | "app" | "public";

export type Upstream = {
  platform: Platform;
  /** What each method leads to: a row of docs/platforms.md each. */
  support: Readonly<Record<Method, MethodSupport>>;
  /**
   * One page of a method that does not search, in the platform's own order. An account, a post or a space that does not exist
   * or may not be seen is an empty page. Errors: `upstream_refused` for anything else that the platform refuses.
   */
  page(call: PageCall, session: Session): Promise<UpstreamPage>;
  /** The routes of a method that does not search, by a kind of access; absent where each method has one that shows everything. */
  routes?: (method: FetchMethod, access: AccessKind) => readonly Route[];
  /** Null where the platform has no search, or none that may be used. */
  search: UpstreamSearch | null;
  /** Where requests without a credential go: an origin; null where nothing is public. */
  publicBaseUrl: string | null;
  /**
   * Where a target can be asked for openly though `publicBaseUrl` is null: the origin that it names; null when it names none.
   * Absent where no query names a server.
   */
  publicOriginOf?: (target: Target | null) => string | null;
  /** What the headers of an answer tell of the limit of its bucket; null when nothing. */
  limitOf(headers: Headers, status: number, nowMs: number): Limit | null;
  /**
   * How long the next request of a bucket waits after the answer to the one before, milliseconds; absent or 0 where any number may
   * be pending.
   */
  intervalMs?: (bucket: string) => number;
  /** What a bill comes to, in millionths of a dollar; null where nothing is billed. */
  priceOf: ((bill: Bill) => number) | null;
  /**
   * Methods of which only the account whose credential fetched it may be shown anything; they are requested with an account's own
   * credential alone. Absent for none but `ownMethods`.
   */
  ownMethods?: readonly Method[];
  /** What callers may be shown of what a credential of theirs, of the deployment, or none has fetched. */
  mayShow(owner: Session["owner"]): "everything" | "ids";
};

/** A way to read a method by one kind of access, such as one of several endpoints that answer it. */
export type Route = {
  /** How the adapter knows it. */
  name: string;
  /** How far back from now it shows posts, milliseconds; null for all of them. */
  reachMs: number | null;
  /** Of routes that show as much, the cheapest is taken. */
  cost: number;
};

/** The route of what is read in one way, which shows everything. */
export const anyRoute: Route = { name: "only", reachMs: null, cost: 0 };
export const onlyRoute: readonly Route[] = [anyRoute];

/** Requests left in the window of a limit, and when the next window begins, Unix milliseconds. */
export type Limit = { remaining: number; resetMs: number };

export type MethodSupport =
  | {
      /** How it can be asked. */
      access: readonly AccessKind[];
      /** The endpoint, as the platform documents it. */
      endpoint: string;
      /** What differs from what the method's name promises; empty when nothing does. */
      note: string;
    }
  /** No counterpart; what is closest to it, a sentence. */
  | { access: readonly []; closest: string };

export type PageCall = {
  method: FetchMethod;
  target: Target | null;
  /** The `next` of the page before. */
  cursor: string | null;
  /** Items still wanted; a page may hold more, where the platform has a least size. */
  limit: number;
  /** The name of the route by which a first page is read, where there are several; a cursor leads on by its own. */
  route?: string;
  /** Posts from then on are not wanted, Unix milliseconds; of a request that follows a route of a limited reach. */
  toMs?: number | null;
};

export type UpstreamPage = {
  items: readonly UpstreamItem[];
  /** Opaque text that leads to the next page; null on the last one. */
  next: string | null;
  /**
   * How many items the platform sent, before anything was left out for its labels, its author's wishes or its form; absent
   * where nothing was.
   */
  received?: number;
  /** Unix milliseconds: the oldest time of the posts that it sent, those that were left out among them. */
  oldestMs?: number;
  /** The platform showed no posts of before, Unix milliseconds, though older ones were requested; absent where it showed all. */
  sinceMs?: number;
  /** Whether an item came more than once in it. */
  hasRepeats?: boolean;
  /** What was asked about does not exist or may not be seen: said on a page that was led to, something was lost on the way. */
  isAbsent?: boolean;
  /** What the caller should know of this page beside its items, such as that the platform tells only a part. */
  remarks?: readonly UpstreamWarning[];
};

export type UpstreamWarning = {
  code: string;
  message: string;
  hint?: string;
  /** Whether something that was requested may be missing, so that the answer is not complete. */
  isPartial?: boolean;
};

export type UpstreamItem =
  | { kind: "post"; post: Post }
  | { kind: "profile"; profile: Profile }
  | { kind: "trend"; trend: Trend }
  | { kind: "space"; space: Space };

export type UpstreamSearch = {
  /** The routes by a kind of access. */
  routes(access: AccessKind): readonly Route[];
  /** Whether what it gives is all there is, so that a window it has searched to its end counts as covered. */
  isExhaustive: boolean;
  /**
   * One page of posts, newest first, of a superset of those that match: what the platform cannot say exactly is left wider
   * (under a negation narrower), and the matcher checks each post afterwards. Null when nothing on this platform can match.
   */
  page(call: SearchCall, session: Session): Promise<UpstreamPage | null>;
};

export type SearchCall = {
  tree: QueryNode;
  /** What the archive knows of the names in the query. */
  names: ResolvedNames;
  /** Unix milliseconds; inclusive (null: unbounded) and exclusive. */
  fromMs: number | null;
  toMs: number;
  /** From which `within_time:` counts back. */
  asOfMs: number;
  cursor: string | null;
  limit: number;
  /** The name of the route by which a first page is read, where there are several; a cursor leads on by its own. */
  route?: string;
};

/** Where a method that does not search goes on. */
export type FetchPosition = {
  platform: Platform;
  /** The credential that the page before was asked with: a timeline's pages are one account's. Null for none. */
  credentialId: string | null;
  /** The page of the platform; null is its first. */
  cursor: string | null;
  /** Of that page, what was given already: its last item and how many there were. */
  lastKey: string | null;
  skip: number;
  /** How the page is requested where it is the first of a route; see `PageCall`. */
  route?: string | undefined;
  toMs?: number | undefined;
  /** The node that has this credential; absent for the gateway's own. */
  nodeId?: string;
};
