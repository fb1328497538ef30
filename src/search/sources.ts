import {
  type FetchMethod,
  type Method,
  ownMethods,
  type SearchMethod,
  type SourceType,
} from "../platforms/methods.ts";
import type { SearchPlatform } from "../platforms/source.ts";
import type { Target } from "../platforms/target.ts";
import type { MethodSupport } from "../platforms/upstream.ts";
import { byPlatform, type Platform, platforms } from "../posts/post.ts";
import type { ConfiguredAccess } from "../upstream/requests/sessions.ts";
import type { ShortSearchContext } from "./archive-answer.ts";
import { type AnswerContext, accessFor, isOwnMethod } from "./context.ts";
import type { MergeableSearch } from "./merge/merged-answer.ts";
import { isAnsweredByArchive, isSearchableTarget } from "./methods/archived-answer.ts";
import {
  type Answerable,
  methodNotSupported,
  noNodeAvailable,
  notConfigured,
  ownCredentialNeeded,
  refusedByPlatform,
} from "./methods/unanswerable.ts";
import { onlyEmbeddedNode } from "./node-capabilities.ts";
import { platformsToRequest } from "./platform/deployment-access.ts";

export type SourceAvailability = {
  defaultPlatform: Platform;
  support: Readonly<Record<Platform, Readonly<Record<Method, MethodSupport>>>>;
  answerable(request: {
    platform: Platform;
    type: SourceType;
    method: FetchMethod;
    accountId: string;
    target: Target | null;
  }): Promise<Answerable>;
  usesUpstream(search: RoutedSearch): Promise<boolean>;
  canSearch(search: Omit<RoutedSearch, "accountId">): boolean;
  /**
   * Whether only this process may run the job, because it returns the account's data or uses its
   * credential.
   */
  isLocalOnly(request: {
    platform: SearchPlatform;
    type: SourceType;
    method: Method;
    accountId: string;
  }): Promise<boolean>;
};

type RoutedSearch = {
  platform: SearchPlatform;
  type: SourceType;
  method: SearchMethod;
  accountId: string;
};

export function createSources(
  { sessions, upstreams, settings }: Pick<AnswerContext, "sessions" | "upstreams" | "settings">,
  nodeCapabilities = onlyEmbeddedNode,
): SourceAvailability {
  async function configuredFor(
    platform: Platform,
    method: Method,
    type: SourceType,
    accountId: string,
  ): Promise<readonly ConfiguredAccess[]> {
    const access = accessFor(type, method, upstreams[platform]);
    if (access.length === 0) return [];
    const configuredAccess = await sessions.configured(platform, accountId);
    const needsOwnCredential = isOwnMethod(method, upstreams[platform]);
    return configuredAccess.filter(
      (one) => access.includes(one.access) && (!needsOwnCredential || one.owner === "account"),
    );
  }

  const answerable: SourceAvailability["answerable"] = async (request) => {
    const localOutcome = nodeCapabilities.hasEmbeddedNode ? await answerableLocally(request) : null;
    if (localOutcome?.ok && localOutcome.usesUpstream) return localOutcome;
    const needsOwnCredential = isOwnMethod(request.method, upstreams[request.platform]);
    const remoteSource = needsOwnCredential ? null : nodeCapabilities.answeredFrom(request);
    if (remoteSource === "upstream") return { ok: true, usesUpstream: true };
    if (localOutcome?.ok) return localOutcome;
    if (remoteSource === "archive") return { ok: true, usesUpstream: false };
    return localOutcome ?? noNodeAvailable(upstreams, request);
  };

  async function answerableLocally(request: RoutedFetch): Promise<Answerable> {
    const { platform, type, method, accountId, target } = request;
    const support = upstreams[platform].support[method];
    const isPublic = accessFor(type, method, upstreams[platform]).includes("public");
    const origin = upstreams[platform].publicOrigin?.(target) ?? null;
    if (isPublic && origin !== null) return { ok: true, usesUpstream: true };
    const configuredAccess = await configuredFor(platform, method, type, accountId);
    if (configuredAccess.length > 0) return { ok: true, usesUpstream: true };
    if (isAnsweredByArchive(method) && isSearchableTarget(method, target))
      return { ok: true, usesUpstream: false };
    if (support.access.length === 0) return methodNotSupported(upstreams, platform, method);
    const refusal = await sessions.refusal(platform, accountId);
    if (refusal !== null) return refusedByPlatform(platform, refusal);
    const allowedAccess = accessFor(type, method, upstreams[platform]);
    if (isOwnMethod(method, upstreams[platform]))
      return ownCredentialNeeded(request, allowedAccess);
    return notConfigured(request, allowedAccess, support.access);
  }

  const isLocalOnly: SourceAvailability["isLocalOnly"] = async ({
    platform,
    type,
    method,
    accountId,
  }) => {
    if (!nodeCapabilities.hasEmbeddedNode) return false;
    if (ownMethods.includes(method)) return true;
    if (!nodeCapabilities.hasRemoteNodes()) return false;
    const configuredByPlatform = await Promise.all(
      platformsToRequest(upstreams, platform, method).map((one) =>
        configuredFor(one, method, type, accountId),
      ),
    );
    return configuredByPlatform.flat().some(({ owner }) => owner === "account");
  };

  return {
    defaultPlatform: settings.defaultPlatform,
    support: byPlatform((platform) => upstreams[platform].support),
    answerable,
    usesUpstream: async ({ platform, type, method, accountId }) => {
      const searchedPlatforms = platformsToRequest(upstreams, platform, method);
      if (
        searchedPlatforms.some(
          (one) => nodeCapabilities.answeredFrom({ platform: one, type, method }) === "upstream",
        )
      ) {
        return true;
      }
      if (!nodeCapabilities.hasEmbeddedNode) return false;
      const configuredByPlatform = await Promise.all(
        searchedPlatforms.map((one) => configuredFor(one, method, type, accountId)),
      );
      return configuredByPlatform.some((configured) => configured.length > 0);
    },
    canSearch: ({ platform, type, method }) =>
      nodeCapabilities.hasEmbeddedNode ||
      (platform === "social" ? platforms : [platform]).some(
        (one) => nodeCapabilities.answeredFrom({ platform: one, type, method }) !== null,
      ),
    isLocalOnly,
  };
}

type RoutedFetch = Parameters<SourceAvailability["answerable"]>[0];

export function requestablePlatforms(
  { upstreams }: Pick<AnswerContext, "upstreams">,
  {
    platform: requestedPlatform,
    type,
    method,
  }: Pick<MergeableSearch, "platform" | "type" | "method">,
): Pick<ShortSearchContext, "requestableWithoutCredential" | "requestableWithCredential"> {
  const searchedPlatforms = (
    requestedPlatform === "social" ? platforms : [requestedPlatform]
  ).filter((platform) => upstreams[platform].search !== null);
  const selectPlatforms = (
    isSupported: (platform: Platform, access: readonly string[]) => boolean,
  ) =>
    searchedPlatforms.filter((platform) =>
      isSupported(platform, accessFor(type, method, upstreams[platform])),
    );
  return {
    requestableWithoutCredential: selectPlatforms(
      (platform, access) => access.includes("public") && upstreams[platform].publicBaseUrl !== null,
    ),
    requestableWithCredential: selectPlatforms((_, access) =>
      access.some((kind) => kind !== "public"),
    ),
  };
}
