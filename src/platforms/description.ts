import type { IdentityRules } from "./identity.ts";
import type { Method } from "./methods.ts";
import type { AccessKind, MethodSupport } from "./upstream.ts";

export type PlatformDescription = {
  identity: IdentityRules;
  support: Readonly<Record<Method, MethodSupport>>;
  /** How the operator configures each access: a command or a setting. */
  configuration: Readonly<Partial<Record<AccessKind, string>>>;
  /** How an operator who has no posts of the platform can get some. */
  sources: string;
};
