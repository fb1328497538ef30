import type { FetchMethod } from "../../platforms/methods.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";

export type FetchRequest = AnswerRequest & { method: FetchMethod; platform: Platform };
