import { type Method, ownMethods, type SourceType } from "../platforms/methods.ts";
import type { AccessMethod } from "../platforms/source.ts";
import type { AccessKind, Upstream } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import type { Sessions } from "../upstream/requests/sessions.ts";
import type { ArchiveSource } from "./archive/search.ts";

/** What answering needs of its surroundings. */
export type AnswerContext = {
  source: ArchiveSource;
  sessions: Sessions;
  upstreams: Readonly<Record<Platform, Upstream>>;
  settings: {
    /** Pages of a platform that one job reads. */
    maxPages: number;
    /** How long a search waits for the limit of a platform. */
    searchWaitMs: number;
    /** The platform that `social` asks where nothing else names one. */
    defaultPlatform: Platform;
  };
};

const accessOfType: Readonly<Record<SourceType, readonly AccessKind[]>> = {
  social: ["user", "app", "public"],
  "social-credential": ["user"],
  "social-api": ["app", "public"],
};

/** The ways to ask a platform for a method that a type allows; what belongs to one account is asked with its credential alone. */
export function accessFor(
  type: SourceType,
  method: Method,
  upstream: Pick<Upstream, "support">,
): AccessKind[] {
  const offered: readonly AccessKind[] = upstream.support[method].access;
  const allowed = accessOfType[type].filter((access) => offered.includes(access));
  return ownMethods.includes(method) ? allowed.filter((access) => access === "user") : allowed;
}

/** Whether a method is requested with a credential of the calling account alone. */
export const isOwn = (method: Method, upstream: Pick<Upstream, "ownMethods">): boolean =>
  ownMethods.includes(method) || (upstream.ownMethods?.includes(method) ?? false);

const ways: Readonly<Record<AccessKind, AccessMethod>> = {
  user: "credential",
  app: "api",
  public: "public",
};

/** How an answer that was come by in this way is told of. */
export const accessMethodOf = (access: AccessKind): AccessMethod => ways[access];
