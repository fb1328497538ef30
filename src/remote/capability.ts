import { isSearch, type Method, type SourceType } from "../platforms/methods.ts";
import type { AccessMethod, AnswerRequest } from "../platforms/source.ts";
import { type Platform, platforms } from "../posts/post.ts";

/** What a node can do: a method on a platform, and by which ways it comes to answers there. */
export type Capability = { platform: Platform; method: Method; ways: readonly AccessMethod[] };

/** What of a request says which nodes can run it. */
export type Work = Pick<AnswerRequest, "platform" | "type" | "method" | "target" | "place">;

const waysOfType: Readonly<Record<SourceType, readonly AccessMethod[]>> = {
  social: ["archive", "credential", "api", "public"],
  "social-credential": ["archive", "credential"],
  "social-api": ["archive", "api", "public"],
};

/**
 * How far a node with these capabilities gets, to compare nodes by; 0 when it cannot run it at all. Of a search: on how many of
 * the platforms that are asked it finds something. Of other methods: 2 where it can ask the platform, 1 where it has what its
 * archive holds.
 */
export function reachOf(capabilities: readonly Capability[], work: Work): number {
  const allowed = waysOfType[work.type];
  const reaches = askedPlatforms(work).map((platform) => {
    const ways = capabilities
      .filter((one) => one.platform === platform && one.method === work.method)
      .flatMap((one) => one.ways)
      .filter((way) => allowed.includes(way));
    if (ways.length === 0) return 0;
    return isSearch(work.method) || ways.every((way) => way === "archive") ? 1 : 2;
  });
  return reaches.reduce<number>((sum, reach) => sum + reach, 0);
}

/** Both, with one entry for each method of a platform. */
export function mergedCapabilities(
  capabilities: readonly Capability[],
  more: readonly Capability[],
): readonly Capability[] {
  if (more.length === 0) return capabilities;
  const all = new Map<string, Capability>();
  for (const one of [...capabilities, ...more]) {
    const key = `${one.platform} ${one.method}`;
    const ways = new Set([...(all.get(key)?.ways ?? []), ...one.ways]);
    all.set(key, { ...one, ways: [...ways] });
  }
  return [...all.values()];
}

/** Platforms that bill what they are asked with a credential. */
const billingPlatforms: readonly Platform[] = ["x"];

/** Whether a node with these capabilities may be billed for it: by what is asked of whom, and not by what anybody says it cost. */
export function mayBeBilled(capabilities: readonly Capability[], work: Work): boolean {
  const billing = askedPlatforms(work).filter((platform) => billingPlatforms.includes(platform));
  const allowed = waysOfType[work.type];
  return capabilities.some(
    ({ platform, method, ways }) =>
      method === work.method &&
      billing.includes(platform) &&
      ways.some((way) => way !== "archive" && allowed.includes(way)),
  );
}

/** Whether nobody but platforms that bill is asked. */
export function isOfBillingPlatform(work: Work): boolean {
  const asked = askedPlatforms(work);
  return asked.length > 0 && asked.every((platform) => billingPlatforms.includes(platform));
}

/** Whether a node with these capabilities can run it at all. */
export function canRun(capabilities: readonly Capability[], work: Work): boolean {
  return reachOf(capabilities, work) > 0;
}

/** The platforms that a job asks. */
export function askedPlatforms({ platform, method, target, place }: Work): readonly Platform[] {
  const named = place?.platform ?? (platform === "social" ? target?.platform : platform) ?? null;
  if (named !== null) return [named];
  return isSearch(method) ? platforms : [];
}
