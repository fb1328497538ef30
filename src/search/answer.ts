import { isSearch, type Method } from "../platforms/methods.ts";
import type { AnswerRequest, SearchPlatform, SourceAnswer } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";
import type { UpstreamJob } from "../upstream/requests/sessions.ts";
import type { AnswerContext } from "./context.ts";
import { fetchAnswer } from "./methods/fetch-answer.ts";
import { searchAnswer } from "./search-answer.ts";

export type { AnswerContext } from "./context.ts";

/** Rejects with an `EarshotError` that names the upstream if nothing was answered. */
export async function answerJob(
  context: AnswerContext,
  request: AnswerRequest,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { method } = request;
  if (isSearch(method)) return await searchAnswer(context, { ...request, method }, job);
  const platform = requestedPlatform(request, context.settings.defaultPlatform);
  return await fetchAnswer(context, { ...request, method, platform }, job);
}

function requestedPlatform(
  {
    platform,
    target = null,
    position = null,
  }: {
    platform: SearchPlatform;
    method: Method;
    target?: AnswerRequest["target"];
    position?: AnswerRequest["position"];
  },
  defaultPlatform: Platform,
): Platform {
  if (position !== null) return position.platform;
  if (platform !== "social") return platform;
  return target?.platform ?? defaultPlatform;
}
