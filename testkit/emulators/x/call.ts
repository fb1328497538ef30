import type { EmulatedWorld } from "./model.ts";
import { namesIn } from "./parameters.ts";
import type { Naming, Shown } from "./show.ts";

export type Call = {
  id: string;
  query: URLSearchParams;
  world: EmulatedWorld;
  nowMs: number;
  naming: Naming;
  userId: string | null;
  refusedOperators: readonly string[];
};

export type Reply = {
  body: Record<string, unknown>;
  reads: { posts?: number; users?: number; requests?: number };
};

export function shownBy({ query, naming }: Call): Shown {
  return {
    naming,
    postFields: namesIn(query, "tweet.fields", "post.fields"),
    userFields: namesIn(query, "user.fields"),
    mediaFields: namesIn(query, "media.fields"),
    expansions: namesIn(query, "expansions"),
  };
}
