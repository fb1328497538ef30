import { type Method, ownMethods, type SourceType } from "../../platforms/methods.ts";
import { platformDescriptions } from "../../platforms/registry.ts";
import type { AccessKind, Upstream } from "../../platforms/upstream.ts";
import { type Platform, platforms } from "../../posts/post.ts";

export type Answerable = { ok: true; usesUpstream: boolean } | Unanswerable;

type Unanswerable = {
  ok: false;
  why: "no_counterpart" | "credential_refused" | "own_credential_needed" | "not_configured";
  message: string;
  hint: string;
};

type Upstreams = Readonly<Record<Platform, Upstream>>;
type RoutedFetch = { platform: Platform; type: SourceType; method: Method };

export function methodNotSupported(
  upstreams: Upstreams,
  platform: Platform,
  method: Method,
): Unanswerable {
  const support = upstreams[platform].support[method];
  const supporting = platforms.filter(
    (other) => upstreams[other].support[method].access.length > 0,
  );
  return {
    ok: false,
    why: "no_counterpart",
    message: `${platform} does not support ${method}`,
    hint:
      "closest" in support
        ? `${otherPlatformsHint(method, supporting)}. ${support.closest.replace(/^None: /, "")}`
        : otherPlatformsHint(method, supporting),
  };
}

export const refusedByPlatform = (platform: Platform, reason: string): Unanswerable => ({
  ok: false,
  why: "credential_refused",
  message: `${platform} refused your credential: ${reason}`,
  hint: "test it again with earshot credentials test, or replace it with earshot credentials add",
});

export function ownCredentialNeeded(
  { platform, method }: Pick<RoutedFetch, "platform" | "method">,
  allowed: readonly AccessKind[],
): Unanswerable {
  const why = ownMethods.includes(method)
    ? "returns data of a single account"
    : `results from ${platform} may be shown only to the account whose credential fetched them`;
  const commands = allowed.flatMap(
    (access) => platformDescriptions[platform].configuration[access] ?? [],
  );
  return {
    ok: false,
    why: "own_credential_needed",
    message: `${method} ${why}, so it requires your own ${platform} credential`,
    hint: `add one with ${commands.join(", or ")} --account ACCOUNT`,
  };
}

export const notConfigured = (
  { platform, method, type }: RoutedFetch,
  allowed: readonly AccessKind[],
  offered: readonly AccessKind[],
): Unanswerable => ({
  ok: false,
  why: "not_configured",
  message: `no configured source supports ${method} on ${platform} with type ${type}`,
  hint: configurationHint(platform, allowed, offered),
});

export function noNodeAvailable(
  upstreams: Upstreams,
  { platform, method, type }: RoutedFetch,
): Unanswerable {
  if (upstreams[platform].support[method].access.length === 0) {
    return methodNotSupported(upstreams, platform, method);
  }
  if (ownMethods.includes(method)) {
    return {
      ok: false,
      why: "not_configured",
      message: `${method} requires a credential of the account, and this server has no embedded node`,
      hint: "set EARSHOT_EMBEDDED_NODE=spare to run jobs on this server that no other node can run",
    };
  }
  return {
    ok: false,
    why: "not_configured",
    message: `no connected node supports ${method} on ${platform} with type ${type}`,
    hint: "connect one with earshot node; GET /v1/nodes lists the connected nodes",
  };
}

const otherPlatformsHint = (method: Method, supporting: readonly Platform[]): string =>
  supporting.length === 0
    ? `no platform supports ${method}`
    : `use ${supporting.join(" or ")} for ${method}`;

export const credentialCommand = (platform: Platform, access: AccessKind): string | null =>
  platformDescriptions[platform].configuration[access] ?? null;

function configurationHint(
  platform: Platform,
  allowed: readonly AccessKind[],
  offered: readonly AccessKind[],
): string {
  const credentialKinds = (allowed.length > 0 ? allowed : offered).flatMap((access) => {
    const kinds = platformDescriptions[platform].configuration[access];
    return kinds === undefined ? [] : [kinds];
  });
  const configure = `use ${credentialKinds.join(", or ")}`;
  return allowed.length > 0 ? configure : `set type to social, and ${configure}`;
}
