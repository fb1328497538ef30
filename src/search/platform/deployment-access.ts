import { isSearch, type Method, methodNames } from "../../platforms/methods.ts";
import type { AccessMethod, SearchPlatform } from "../../platforms/source.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { type AnswerContext, accessFor, isOwnMethod, toAccessMethod } from "../context.ts";

export async function deploymentAccess(
  { sessions, upstreams }: Pick<AnswerContext, "sessions" | "upstreams">,
  platform: Platform,
): Promise<ReadonlyMap<Method, readonly AccessMethod[]>> {
  const upstream = upstreams[platform];
  const configuredAccess = await sessions.configured(platform, "");
  const getAccess = (method: Method): readonly AccessMethod[] =>
    accessFor("social", method, upstream)
      .filter((access) => configuredAccess.some((one) => one.access === access))
      .map(toAccessMethod);
  return new Map(
    methodNames
      .filter((method) => platformsToRequest(upstreams, platform, method).length > 0)
      .filter((method) => !isOwnMethod(method, upstream))
      .map((method) => [method, getAccess(method)] as const)
      .filter(([, access]) => access.length > 0),
  );
}

export const platformsToRequest = (
  upstreams: AnswerContext["upstreams"],
  platform: SearchPlatform,
  method: Method,
): readonly Platform[] =>
  (platform === "social" ? platforms : [platform]).filter(
    (one) => !isSearch(method) || upstreams[one].search !== null,
  );
