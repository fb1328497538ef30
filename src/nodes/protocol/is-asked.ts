import type { AnswerRequest } from "../../platforms/source.ts";

/** Whether a request is for posts of this platform, among others or alone. */
export const isAsked = ({ platform }: Pick<AnswerRequest, "platform">, one: string): boolean =>
  platform === "social" || platform === one;
