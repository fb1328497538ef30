import { isSearch, type Method, type SourceType } from "../platforms/methods.ts";
import type { AccessMethod, AnswerRequest } from "../platforms/source.ts";
import { type Platform, platforms } from "../posts/post.ts";

export type Capability = { platform: Platform; method: Method; ways: readonly AccessMethod[] };

export type Work = Pick<AnswerRequest, "platform" | "type" | "method" | "target" | "position">;

const methodsByType: Readonly<Record<SourceType, readonly AccessMethod[]>> = {
  social: ["archive", "credential", "api", "public"],
  "social-credential": ["archive", "credential"],
  "social-api": ["archive", "api", "public"],
};

/**
 * For a search, the number of platforms covered; otherwise 2 if the platform can be called, 1 if
 * only its archive can be read, else 0.
 */
export function capabilityRank(capabilities: readonly Capability[], work: Work): number {
  const allowedMethods = methodsByType[work.type];
  const ranks = requestedPlatforms(work).map((platform) => {
    const methods = capabilities
      .filter((capability) => capability.platform === platform && capability.method === work.method)
      .flatMap((capability) => capability.ways)
      .filter((method) => allowedMethods.includes(method));
    if (methods.length === 0) return 0;
    return isSearch(work.method) || methods.every((method) => method === "archive") ? 1 : 2;
  });
  return ranks.reduce<number>((sum, reach) => sum + reach, 0);
}

export function mergedCapabilities(
  capabilities: readonly Capability[],
  additionalCapabilities: readonly Capability[],
): readonly Capability[] {
  if (additionalCapabilities.length === 0) return capabilities;
  const capabilitiesByKey = new Map<string, Capability>();
  for (const capability of [...capabilities, ...additionalCapabilities]) {
    const key = `${capability.platform} ${capability.method}`;
    const methods = new Set([...(capabilitiesByKey.get(key)?.ways ?? []), ...capability.ways]);
    capabilitiesByKey.set(key, { ...capability, ways: [...methods] });
  }
  return [...capabilitiesByKey.values()];
}

const billingPlatforms: readonly Platform[] = ["x"];

/** Whether a failed request may have been billed; false unless all its platforms bill. */
export function mayBeBilled(capabilities: readonly Capability[], work: Work): boolean {
  const targetPlatforms = requestedPlatforms(work);
  // A node cannot claim that another platform bills.
  if (!targetPlatforms.every((platform) => billingPlatforms.includes(platform))) return false;
  const allowedMethods = methodsByType[work.type];
  return capabilities.some(
    ({ platform, method, ways }) =>
      method === work.method &&
      targetPlatforms.includes(platform) &&
      ways.some((route) => route !== "archive" && allowedMethods.includes(route)),
  );
}

export function canRun(capabilities: readonly Capability[], work: Work): boolean {
  return capabilityRank(capabilities, work) > 0;
}

export function requestedPlatforms({
  platform,
  method,
  target,
  position,
}: Work): readonly Platform[] {
  const targetPlatform =
    position?.platform ?? (platform === "social" ? target?.platform : platform) ?? null;
  if (targetPlatform !== null) return [targetPlatform];
  return isSearch(method) ? platforms : [];
}
