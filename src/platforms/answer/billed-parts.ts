import type { Platform } from "../../posts/post.ts";
import type { OpenSession } from "../requests/sessions.ts";
import type { SourceCost, SourcePart } from "../source.ts";
import { wayOf } from "./context.ts";

/**
 * Of sessions by which nothing came about, those that were billed all the same: a part of the answer each, without items, as
 * what was spent belongs to it.
 */
export function billedParts(
  sessions: readonly OpenSession[],
  span: { platform: Platform; fromMs: number | null; toMs: number },
): SourcePart[] {
  return sessions.flatMap((session) => {
    const cost = session.cost();
    if (cost === null || !isBilled(cost)) return [];
    return [{ ...span, via: wayOf(session.access), count: 0, cost }];
  });
}

const isBilled = ({ postReads, userReads, requests, microUsd }: SourceCost): boolean =>
  [postReads, userReads, requests, microUsd].some((amount = 0) => amount > 0);
