import { EarshotError } from "../../lib/errors.ts";
import { fieldsOf, string } from "../fields.ts";
import type { Answer, ServerAccess } from "./server-access.ts";

/** What a server tells of itself, as far as it decides what can be asked. */
export type InstanceInfo = {
  /** Whether it is Mastodon itself, or a near relative; other software speaks the same API in part. */
  isMastodon: boolean;
  /** Of Mastodon; null where it is none, or tells no version. */
  version: { major: number; minor: number } | null;
  /** Who is shown the timelines of hashtags; `public` where it does not say. */
  hashtagFeeds: "public" | "authenticated" | "disabled";
};

/** Of a server that tells nothing. */
export const unknownInstance: InstanceInfo = {
  isMastodon: false,
  version: null,
  hashtagFeeds: "public",
};
const keptMs = 3_600_000;
const mostKept = 500;

export type InstanceInfos = {
  /** What the server tells of itself; nothing when it does not. Asked for once an hour. */
  of(place: ServerAccess, nowMs: number): Promise<InstanceInfo>;
};

export function createInstanceInfos(): InstanceInfos {
  const kept = new Map<string, { info: InstanceInfo; untilMs: number }>();
  return {
    of: async (place, nowMs) => {
      const known = kept.get(place.instance);
      if (known !== undefined && nowMs < known.untilMs) return known.info;
      const info = await asked(place);
      kept.delete(place.instance);
      kept.set(place.instance, { info, untilMs: nowMs + keptMs });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
      return info;
    },
  };
}

/** A server that has not the newer description has the older one; one that fails for the moment is asked again. */
async function asked(place: ServerAccess): Promise<InstanceInfo> {
  for (const path of ["/api/v2/instance", "/api/v1/instance"]) {
    const answer = await describe(place, path);
    if (answer !== null && answer.status === 200) return infoOf(answer.json);
  }
  return unknownInstance;
}

async function describe(place: ServerAccess, path: string): Promise<Answer | null> {
  try {
    return await place.get({ path, bucket: "api" });
  } catch (thrown) {
    if (thrown instanceof EarshotError && !thrown.retryable) return null;
    throw thrown;
  }
}

/** Reads such a description; takes any JSON. */
export function infoOf(json: unknown): InstanceInfo {
  const { version: written, configuration } = fieldsOf(json);
  const access = fieldsOf(fieldsOf(fieldsOf(configuration).timelines_access).hashtag_feeds);
  const version = versionOf(string(written, 200) ?? "");
  return { isMastodon: version !== null, version, hashtagFeeds: loosest(access) };
}

/** Other software tells which version of Mastodon it is compatible with, or counts from its own beginning. */
function versionOf(written: string): { major: number; minor: number } | null {
  const [, major, minor] = /^(\d{1,3})\.(\d{1,3})\.\d/.exec(written) ?? [];
  if (major === undefined || minor === undefined || /compatible/i.test(written)) return null;
  return Number(major) < 2 ? null : { major: Number(major), minor: Number(minor) };
}

/** Posts of the server and those of others are shown each by their own rule; what is shown of either is worth asking for. */
function loosest({ local, remote }: Record<string, unknown>): InstanceInfo["hashtagFeeds"] {
  const told = [local, remote];
  if (told.every((access) => access === "disabled")) return "disabled";
  const isClosed = told.every((access) => access === "disabled" || access === "authenticated");
  return isClosed ? "authenticated" : "public";
}

/** Whether the search knows `from:`, `language:`, `has:` and the like; to others they are words. */
export const knowsOperators = ({ version }: InstanceInfo): boolean =>
  version !== null && (version.major > 4 || (version.major === 4 && version.minor >= 2));
