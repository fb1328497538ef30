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
import { isAnsweredByArchive } from "./methods/archived-answer.ts";
import {
  type Answerable,
  methodNotSupported,
  noNodeAvailable,
  notConfigured,
  ownCredentialNeeded,
  refusedByPlatform,
} from "./methods/unanswerable.ts";
import { onlyEmbeddedNode } from "./node-capabilities.ts";
import { requestedFor } from "./platform/deployment-access.ts";

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
   * True if the method returns data of the account, or the account has its own credential for it.
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
    const configured = await sessions.configured(platform, accountId);
    const needsOwn = isOwnMethod(method, upstreams[platform]);
    return configured.filter(
      (one) => access.includes(one.access) && (!needsOwn || one.owner === "account"),
    );
  }

  const answerable: SourceAvailability["answerable"] = async (request) => {
    const local = nodeCapabilities.hasEmbeddedNode ? await answerableHere(request) : null;
    if (local?.ok && local.usesUpstream) return local;
    const needsOwn = isOwnMethod(request.method, upstreams[request.platform]);
    const remote = needsOwn ? null : nodeCapabilities.answeredFrom(request);
    if (remote === "upstream") return { ok: true, usesUpstream: true };
    if (local?.ok) return local;
    if (remote === "archive") return { ok: true, usesUpstream: false };
    return local ?? noNodeAvailable(upstreams, request);
  };

  async function answerableHere(request: RoutedFetch): Promise<Answerable> {
    const { platform, type, method, accountId } = request;
    const support = upstreams[platform].support[method];
    const isPublic = accessFor(type, method, upstreams[platform]).includes("public");
    const origin = upstreams[platform].publicOrigin?.(request.target) ?? null;
    if (isPublic && origin !== null) return { ok: true, usesUpstream: true };
    const configured = await configuredFor(platform, method, type, accountId);
    if (configured.length > 0) return { ok: true, usesUpstream: true };
    if (isAnsweredByArchive(method)) return { ok: true, usesUpstream: false };
    if (support.access.length === 0) return methodNotSupported(upstreams, platform, method);
    const refusal = await sessions.refusal(platform, accountId);
    if (refusal !== null) return refusedByPlatform(platform, refusal);
    const allowed = accessFor(type, method, upstreams[platform]);
    if (isOwnMethod(method, upstreams[platform])) return ownCredentialNeeded(request, allowed);
    return notConfigured(request, allowed, support.access);
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
    const each = await Promise.all(
      requestedFor(upstreams, platform, method).map((one) =>
        configuredFor(one, method, type, accountId),
      ),
    );
    return each.flat().some(({ owner }) => owner === "account");
  };

  return {
    defaultPlatform: settings.defaultPlatform,
    support: byPlatform((platform) => upstreams[platform].support),
    answerable,
    usesUpstream: async ({ platform, type, method, accountId }) => {
      const searched = requestedFor(upstreams, platform, method);
      if (
        searched.some(
          (one) => nodeCapabilities.answeredFrom({ platform: one, type, method }) === "upstream",
        )
      ) {
        return true;
      }
      if (!nodeCapabilities.hasEmbeddedNode) return false;
      const each = await Promise.all(
        searched.map((one) => configuredFor(one, method, type, accountId)),
      );
      return each.some((configured) => configured.length > 0);
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
  const searched = (requestedPlatform === "social" ? platforms : [requestedPlatform]).filter(
    (platform) => upstreams[platform].search !== null,
  );
  const requestable = (isSupported: (platform: Platform, access: readonly string[]) => boolean) =>
    searched.filter((platform) =>
      isSupported(platform, accessFor(type, method, upstreams[platform])),
    );
  return {
    requestableWithoutCredential: requestable(
      (platform, access) => access.includes("public") && upstreams[platform].publicBaseUrl !== null,
    ),
    requestableWithCredential: requestable((_, access) => access.some((kind) => kind !== "public")),
  };
}
