import { type Method, ownMethods, type SourceType } from "../platforms/methods.ts";
import type { AccessMethod } from "../platforms/source.ts";
import type { AccessKind, Upstream } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import type { Sessions } from "../upstream/requests/sessions.ts";
import type { ArchiveSource } from "./archive/search.ts";

export type AnswerContext = {
  source: ArchiveSource;
  sessions: Sessions;
  upstreams: Readonly<Record<Platform, Upstream>>;
  settings: {
    maxPages: number;
    searchWaitMs: number;
    defaultPlatform: Platform;
  };
};

const typeAccess: Readonly<Record<SourceType, readonly AccessKind[]>> = {
  social: ["user", "app", "public"],
  "social-credential": ["user"],
  "social-api": ["app", "public"],
};

export function accessFor(
  type: SourceType,
  method: Method,
  upstream: Pick<Upstream, "support">,
): AccessKind[] {
  const offeredAccess: readonly AccessKind[] = upstream.support[method].access;
  const allowedAccess = typeAccess[type].filter((access) => offeredAccess.includes(access));
  return ownMethods.includes(method)
    ? allowedAccess.filter((access) => access === "user")
    : allowedAccess;
}

export const isOwnMethod = (method: Method, upstream: Pick<Upstream, "ownMethods">): boolean =>
  ownMethods.includes(method) || (upstream.ownMethods?.includes(method) ?? false);

const accessMethods: Readonly<Record<AccessKind, AccessMethod>> = {
  user: "credential",
  app: "api",
  public: "public",
};

export const toAccessMethod = (access: AccessKind): AccessMethod => accessMethods[access];
