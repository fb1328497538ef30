import type { IdentityRules } from "./identity.ts";
import type { Method } from "./methods.ts";
import type { AccessKind, MethodSupport } from "./upstream.ts";

export type PlatformDescription = {
  identity: IdentityRules;
  support: Readonly<Record<Method, MethodSupport>>;
  /** The command or setting that configures the access. */
  configuration: Readonly<Partial<Record<AccessKind, string>>>;
  /** How to get posts if there are none. */
  sources: string;
};
