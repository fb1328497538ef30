import { type Platform, platforms } from "../posts/post.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import type { MergeableSearch } from "./merge/merged-answer.ts";
import type { ShortSearchTerms } from "./short-search.ts";

export function requestablePlatforms(
  { upstreams }: Pick<AnswerContext, "upstreams">,
  {
    platform: requestedPlatform,
    type,
    method,
  }: Pick<MergeableSearch, "platform" | "type" | "method">,
): Pick<ShortSearchTerms, "requestableWithoutCredential" | "requestableWithCredential"> {
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
