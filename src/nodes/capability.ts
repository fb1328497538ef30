import type { Method } from "../platforms/methods.ts";
import type { SourceWay } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";

/** What a node can do: a method on a platform, and by which ways it comes to answers there. */
export type Capability = { platform: Platform; method: Method; ways: readonly SourceWay[] };
