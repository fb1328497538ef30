import type { EmulatedWorld } from "./model.ts";
import { parameterValues } from "./parameters.ts";
import type { Naming, RequestedFields } from "./show.ts";

export type Call = {
  id: string;
  query: URLSearchParams;
  world: EmulatedWorld;
  nowMs: number;
  naming: Naming;
  userId: string | null;
  refusedOperators: readonly string[];
};

export type CallResponse = {
  body: Record<string, unknown>;
  reads: { posts?: number; users?: number; requests?: number };
};

export function requestedFields({ query, naming }: Call): RequestedFields {
  return {
    naming,
    postFields: parameterValues(query, "tweet.fields", "post.fields"),
    userFields: parameterValues(query, "user.fields"),
    mediaFields: parameterValues(query, "media.fields"),
    expansions: parameterValues(query, "expansions"),
  };
}
