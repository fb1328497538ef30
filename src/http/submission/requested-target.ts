import type { Caller } from "../../accounts/authenticate.ts";
import { isBareName } from "../../platforms/bare-name.ts";
import { type FetchMethod, methods } from "../../platforms/methods.ts";
import { readTarget } from "../../platforms/read-target.ts";
import { isRecordId, recordTarget } from "../../platforms/record-target.ts";
import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";
import { type PostTarget, type Target, targetText } from "../../platforms/target.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { Answerable } from "../../search/methods/unanswerable.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problems/write-problem.ts";
import type { CheckedArguments } from "./checked-arguments.ts";
import { resolveBareName } from "./resolve-bare-name.ts";

export type RequestedTarget = {
  platform: Platform;
  /** Null if the method takes none. */
  target: Target | null;
  canonicalQuery: string;
  warnings: readonly SourceWarning[];
};

type TargetContext = Pick<HttpContext, "archive" | "clock" | "sources" | "fetchedPosts">;

/**
 * The platform is that of path, type or query, or else the default. A record's ID resolves to its
 * post. Errors: those of `readTarget`, and `source_unavailable`.
 */
export async function requestedTarget(
  context: TargetContext,
  { accountId }: Caller,
  args: CheckedArguments & { method: FetchMethod },
): Promise<RequestedTarget> {
  const { method, type } = args;
  if (args.platform !== "social") {
    const precheck = await answerableFor({ platform: args.platform, target: null });
    // The target may name a server that needs no configuration.
    if (!precheck.ok && precheck.why !== "not_configured") throw unanswerable(precheck);
  }
  const foundTarget = await findTarget();
  const availability = await answerableFor(foundTarget);
  if (!availability.ok) throw unanswerable(availability);
  const archiveOnlyWarnings = availability.usesUpstream
    ? []
    : [archiveOnlyWarning(foundTarget.platform, args)];
  return { ...foundTarget, warnings: [...foundTarget.warnings, ...archiveOnlyWarnings] };

  async function findTarget(): Promise<RequestedTarget> {
    const { defaultPlatform } = context.sources;
    const { query: targetKind } = methods[method];
    if (targetKind === "none") {
      const platform = args.platform === "social" ? defaultPlatform : args.platform;
      return { platform, target: null, canonicalQuery: "", warnings: [] };
    }
    const parsedTarget = readTarget(targetKind, args.query, args.platform);
    if (isBareName(parsedTarget)) {
      const { target, warnings } = await resolveBareName(
        context,
        { accountId },
        args,
        parsedTarget,
      );
      return { ...targetOn(target, target.platform ?? defaultPlatform), warnings };
    }
    const target = isRecordId(parsedTarget)
      ? await recordPostTarget(context, accountId, parsedTarget, args.platform)
      : parsedTarget;
    if (target === null || target.platform === null) {
      return targetOn(readTarget(targetKind, args.query, defaultPlatform), defaultPlatform);
    }
    return targetOn(target, target.platform);
  }

  async function answerableFor({ platform, target }: Pick<RequestedTarget, "platform" | "target">) {
    return await context.sources.answerable({ platform, type, method, accountId, target });
  }
}

const archiveOnlyWarning = (
  platform: Platform,
  { method, type }: Pick<CheckedArguments, "method" | "type">,
): SourceWarning => ({
  code: "no_credential",
  message: `no configured source supports ${method} on ${platform} with type ${type}, so only the archive is used`,
  hint: "add a credential for the platform with earshot credentials add",
});

function unanswerable({ why, message, hint }: Exclude<Answerable, { ok: true }>) {
  const pointer = why === "not_configured" ? "/type" : "/arguments/type";
  return problem("source_unavailable", message, {
    hint,
    details: [{ code: "source_unavailable", message, hint, pointer }],
  });
}

function targetOn(target: Target, platform: Platform): RequestedTarget {
  const isUnknown = isRecordId(target) && platform === "bluesky";
  return {
    platform,
    target,
    canonicalQuery: targetText(target),
    warnings: isUnknown ? [unknownId] : [],
  };
}

const unknownId: SourceWarning = {
  code: "unknown_id",
  message: "unknown post ID, and Bluesky has no numeric IDs",
  hint: "send the uri or URL of the post; IDs of fetched posts are known while their result is stored",
};

/** Unchanged if the ID is unknown. */
async function recordPostTarget(
  { archive, fetchedPosts, sources }: TargetContext,
  accountId: string,
  target: PostTarget & { id: string },
  path: SearchPlatform,
): Promise<PostTarget> {
  const id = BigInt(target.id);
  const searchedPlatforms = target.platform === null ? platforms : [target.platform];
  const [{ records }, fetchedCandidates] = await Promise.all([
    archive.records(searchedPlatforms.map((platform) => ({ platform, id }))),
    fetchedPosts(accountId, id),
  ]);
  const candidates = [...records.map(recordNamedPost), ...fetchedCandidates].filter(
    ({ platform }) => searchedPlatforms.includes(platform),
  );
  const post =
    candidates.find(({ platform }) => platform === sources.defaultPlatform) ?? candidates[0];
  return post === undefined ? target : recordTarget(post, target, path);
}

type NamedPost = { platform: Platform; uri: string };

function recordNamedPost(record: string): NamedPost {
  const { Metadata }: { Metadata: NamedPost } = JSON.parse(record);
  return Metadata;
}
