import { type Platform, platforms } from "../posts/post.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import type { SearchRequest } from "./merged-answer.ts";
import type { ShortSearchTerms } from "./short-search.ts";

/** By the settings alone; the store knows whether there is a credential. */
export function askableBy(
  { upstreams }: Pick<AnswerContext, "upstreams">,
  { platform: word, type, method }: Pick<SearchRequest, "platform" | "type" | "method">,
): Pick<ShortSearchTerms, "askableOpenly" | "askableWithCredential"> {
  const searched = (word === "social" ? platforms : [word]).filter(
    (platform) => upstreams[platform].search !== null,
  );
  const askable = (isSupported: (platform: Platform, access: readonly string[]) => boolean) =>
    searched.filter((platform) =>
      isSupported(platform, accessFor(type, method, upstreams[platform])),
    );
  return {
    askableOpenly: askable(
      (platform, access) => access.includes("public") && upstreams[platform].publicBaseUrl !== null,
    ),
    askableWithCredential: askable((_, access) => access.some((kind) => kind !== "public")),
  };
}
