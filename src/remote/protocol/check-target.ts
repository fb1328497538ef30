import { isDeepStrictEqual } from "node:util";
import { type BareName, isBareName, nameMatches } from "../../platforms/bare-name.ts";
import { methods } from "../../platforms/methods.ts";
import { readTarget } from "../../platforms/read-target.ts";
import { isRecordId, recordTarget } from "../../platforms/record-target.ts";
import type { AnswerRequest, SearchPlatform } from "../../platforms/source.ts";
import type { PostTarget, Target, UserTarget } from "../../platforms/target.ts";
import { makeUserTarget } from "../../platforms/target-names.ts";
import { parseXId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { jobRefused } from "./errors.ts";

type TargetRequest = Pick<AnswerRequest, "platform" | "method" | "query" | "target">;

/**
 * Clients compare only the query, so the target must be what the query names. Only the gateway
 * knows what a record ID or bare username means, so any target that it could name is accepted.
 */
export function checkTarget(request: TargetRequest): void {
  const { platform, method, query, target = null } = request;
  const kind = methods[method].query;
  if (kind === "text" || kind === "none") {
    if (target === null) return;
    throw mismatch("the request has a target, but its method takes none");
  }
  const isNamed =
    platform !== "social" &&
    target?.platform === platform &&
    paths(platform).some((path) => isNamedBy(query, { kind, target, path }));
  if (!isNamed) throw mismatch("the request's target does not match its query");
}

const paths = (platform: Platform): readonly SearchPlatform[] => [platform, "social"];

function isNamedBy(
  query: string,
  { kind, target, path }: { kind: Target["kind"]; target: Target; path: SearchPlatform },
): boolean {
  const parsed = parseTarget(query, kind, path);
  if (parsed === null) return false;
  if (isDeepStrictEqual(parsed, target)) return true;
  if (isBareName(parsed)) return target.kind === "user" && hasName(parsed, target);
  return isRecordId(parsed) && target.kind === "post" && belongsToRecord(parsed, target, path);
}

function parseTarget(query: string, kind: Target["kind"], path: SearchPlatform): Target | null {
  try {
    return readTarget(kind, query, path);
  } catch {
    return null;
  }
}

function hasName({ handle }: BareName, target: UserTarget): boolean {
  const { platform } = target;
  if (platform === null || !nameMatches(handle, target)) return false;
  return isDeepStrictEqual(target, makeUserTarget(platform, { handle: target.handle }));
}

function belongsToRecord(
  namedTarget: PostTarget & { id: string },
  target: PostTarget,
  path: SearchPlatform,
): boolean {
  const { platform, uri } = target;
  if (platform === null || uri === null) return false;
  if (namedTarget.platform !== null && namedTarget.platform !== platform) return false;
  const number = parseXId(uri);
  if (platform === "x" && number !== null && number !== BigInt(namedTarget.id)) return false;
  return isDeepStrictEqual(recordTarget({ platform, uri }, namedTarget, path), target);
}

const mismatch = (message: string) => jobRefused("target_mismatch", message);
