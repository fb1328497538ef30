import type { FetchMethod } from "../platforms/methods.ts";
import type { AnswerRequest } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";

/** A request of a method that does not search, of one platform. */
export type FetchRequest = AnswerRequest & { method: FetchMethod; platform: Platform };
