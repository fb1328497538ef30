import type { FetchMethod } from "../platforms/methods.ts";
import type { AnswerRequest } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";

/** A method that is not a search, on one platform. */
export type FetchRequest = AnswerRequest & { method: FetchMethod; platform: Platform };
