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
  const supportingPlatforms = platforms.filter(
    (other) => upstreams[other].support[method].access.length > 0,
  );
  return {
    ok: false,
    why: "no_counterpart",
    message: `${platform} does not support ${method}`,
    hint:
      "closest" in support
        ? `${otherPlatformsHint(method, supportingPlatforms)}. ${support.closest.replace(/^None: /, "")}`
        : otherPlatformsHint(method, supportingPlatforms),
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
  allowedAccess: readonly AccessKind[],
): Unanswerable {
  const why = ownMethods.includes(method)
    ? "returns a single account's data"
    : `results from ${platform} can be shown only to the account whose credential fetched them`;
  const commands = allowedAccess.flatMap(
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
  allowedAccess: readonly AccessKind[],
  offeredAccess: readonly AccessKind[],
): Unanswerable => ({
  ok: false,
  why: "not_configured",
  message: `no configured source supports ${method} on ${platform} with type ${type}`,
  hint: configurationHint(platform, allowedAccess, offeredAccess),
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
      message: `${method} requires the account's own credential, and this server has no embedded node`,
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

const otherPlatformsHint = (method: Method, supportingPlatforms: readonly Platform[]): string =>
  supportingPlatforms.length === 0
    ? `no platform supports ${method}`
    : `use ${supportingPlatforms.join(" or ")} for ${method}`;

export const credentialCommand = (platform: Platform, access: AccessKind): string | null =>
  platformDescriptions[platform].configuration[access] ?? null;

function configurationHint(
  platform: Platform,
  allowedAccess: readonly AccessKind[],
  offeredAccess: readonly AccessKind[],
): string {
  const credentialKinds = (allowedAccess.length > 0 ? allowedAccess : offeredAccess).flatMap(
    (access) => {
      const kinds = platformDescriptions[platform].configuration[access];
      return kinds === undefined ? [] : [kinds];
    },
  );
  const instruction = `use ${credentialKinds.join(", or ")}`;
  return allowedAccess.length > 0 ? instruction : `set type to social, and ${instruction}`;
}
