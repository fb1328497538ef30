import { EarshotError } from "../../lib/errors.ts";
import { asFields, string } from "../fields.ts";
import type { InstanceResponse, ServerAccess } from "./server-access.ts";

export type InstanceInfo = {
  /** Includes close forks; other software implements only part of the API. */
  isMastodon: boolean;
  version: { major: number; minor: number } | null;
  hashtagFeeds: "public" | "authenticated" | "disabled";
};

export const unknownInstance: InstanceInfo = {
  isMastodon: false,
  version: null,
  hashtagFeeds: "public",
};
const cacheMs = 3_600_000;
const maxCachedInstances = 500;

export type InstanceInfoCache = {
  /** Cached for an hour. */
  get(access: ServerAccess, nowMs: number): Promise<InstanceInfo>;
};

export function createInstanceInfoCache(): InstanceInfoCache {
  const cache = new Map<string, { info: InstanceInfo; untilMs: number }>();
  return {
    get: async (access, nowMs) => {
      const cachedEntry = cache.get(access.instance);
      if (cachedEntry !== undefined && nowMs < cachedEntry.untilMs) return cachedEntry.info;
      const info = await requestInfo(access);
      cache.delete(access.instance);
      cache.set(access.instance, { info, untilMs: nowMs + cacheMs });
      const [oldest] = cache.keys();
      if (cache.size > maxCachedInstances && oldest !== undefined) cache.delete(oldest);
      return info;
    },
  };
}

/** Temporary failures are thrown; after permanent ones the server is unknown. */
async function requestInfo(access: ServerAccess): Promise<InstanceInfo> {
  for (const path of ["/api/v2/instance", "/api/v1/instance"]) {
    const response = await requestInstance(access, path);
    if (response !== null && response.status === 200) return readInstanceInfo(response.json);
  }
  return unknownInstance;
}

async function requestInstance(
  access: ServerAccess,
  path: string,
): Promise<InstanceResponse | null> {
  try {
    return await access.get({ path, bucket: "api" });
  } catch (thrown) {
    if (thrown instanceof EarshotError && !thrown.retryable) return null;
    throw thrown;
  }
}

export function readInstanceInfo(json: unknown): InstanceInfo {
  const { version: versionText, configuration } = asFields(json);
  const access = asFields(asFields(asFields(configuration).timelines_access).hashtag_feeds);
  const version = readVersion(string(versionText, 200) ?? "");
  return { isMastodon: version !== null, version, hashtagFeeds: leastRestrictive(access) };
}

/** Other software reports its own version or a compatible one. */
function readVersion(text: string): { major: number; minor: number } | null {
  const [, major, minor] = /^(\d{1,3})\.(\d{1,3})\.\d/.exec(text) ?? [];
  if (major === undefined || minor === undefined || /compatible/i.test(text)) return null;
  return Number(major) < 2 ? null : { major: Number(major), minor: Number(minor) };
}

/** Local and remote posts have separate settings. */
function leastRestrictive({
  local,
  remote,
}: Record<string, unknown>): InstanceInfo["hashtagFeeds"] {
  const reportedAccess = [local, remote];
  if (reportedAccess.every((access) => access === "disabled")) return "disabled";
  const isClosed = reportedAccess.every(
    (access) => access === "disabled" || access === "authenticated",
  );
  return isClosed ? "authenticated" : "public";
}

/** Before 4.2, search operators are treated as words. */
export const supportsOperators = ({ version }: InstanceInfo): boolean =>
  version !== null && (version.major > 4 || (version.major === 4 && version.minor >= 2));
