import type { Platform } from "../../posts/post.ts";
import type { FetchMethod } from "../methods.ts";
import type { AnswerRequest } from "../source.ts";

/** A request of a method that does not search, of one platform. */
export type FetchRequest = AnswerRequest & { method: FetchMethod; platform: Platform };
