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
  const allowed = methodsByType[work.type];
  const reaches = requestedPlatforms(work).map((platform) => {
    const methods = capabilities
      .filter((capability) => capability.platform === platform && capability.method === work.method)
      .flatMap((capability) => capability.ways)
      .filter((method) => allowed.includes(method));
    if (methods.length === 0) return 0;
    return isSearch(work.method) || methods.every((method) => method === "archive") ? 1 : 2;
  });
  return reaches.reduce<number>((sum, reach) => sum + reach, 0);
}

export function mergedCapabilities(
  capabilities: readonly Capability[],
  more: readonly Capability[],
): readonly Capability[] {
  if (more.length === 0) return capabilities;
  const all = new Map<string, Capability>();
  for (const capability of [...capabilities, ...more]) {
    const key = `${capability.platform} ${capability.method}`;
    const methods = new Set([...(all.get(key)?.ways ?? []), ...capability.ways]);
    all.set(key, { ...capability, ways: [...methods] });
  }
  return [...all.values()];
}

const billingPlatforms: readonly Platform[] = ["x"];

/** Whether a platform may have billed a failed request: a retry would be billed again. */
export function mayBeBilled(capabilities: readonly Capability[], work: Work): boolean {
  const requested = requestedPlatforms(work);
  // A node cannot claim that another platform bills.
  if (!requested.every((platform) => billingPlatforms.includes(platform))) return false;
  const allowed = methodsByType[work.type];
  return capabilities.some(
    ({ platform, method, ways }) =>
      method === work.method &&
      requested.includes(platform) &&
      ways.some((route) => route !== "archive" && allowed.includes(route)),
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
