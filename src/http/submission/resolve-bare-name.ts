/**
 * Never guesses among several accounts: the newest could differ between two pages. Lookups would
 * cost requests and, on X, money.
 */

import type { Caller } from "../../accounts/authenticate.ts";
import { accountOn, type BareName } from "../../platforms/bare-name.ts";
import type { FetchMethod } from "../../platforms/methods.ts";
import { targetInput } from "../../platforms/read-target.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { targetText, type UserTarget } from "../../platforms/target.ts";
import { ambiguous, malformed } from "../../platforms/target-errors.ts";
import { platforms } from "../../posts/post.ts";
import { findAccountsByName } from "../../search/archive/find-accounts.ts";
import type { HttpContext } from "../context.ts";
import type { CheckedArguments } from "./checked-arguments.ts";

type Context = Pick<HttpContext, "archive" | "clock" | "sources">;
type Resolution = { target: UserTarget; warnings: readonly SourceWarning[] };

/**
 * Chooses, in order: the default platform if the name is valid there and it can be requested; the
 * only archived account; the only platform that can be requested; the default platform. A guess is
 * reported as `platform_assumed`. Errors: `invalid_query`, with the forms to choose from.
 */
export async function resolveBareName(
  { archive, clock, sources }: Context,
  { accountId }: Pick<Caller, "accountId">,
  args: CheckedArguments & { method: FetchMethod },
  { handle: name }: BareName,
): Promise<Resolution> {
  const { method, type } = args;
  const { defaultPlatform } = sources;
  const input = targetInput("user", args.query, "social");
  const onDefault = defaultPlatform === "bluesky" ? null : accountOn(defaultPlatform, name);
  if (onDefault !== null && (await isRequestable(onDefault)))
    return { target: onDefault, warnings: [] };

  const archived = await onlyMatch(
    await findAccountsByName({ archive, clock }, name, accountId),
    isAnswered,
  );
  if (archived !== null)
    return assume(archived, "it is the only account of this name in the archive");
  const candidates = platforms
    .map((platform) => accountOn(platform, name))
    .filter((candidate) => candidate !== null);
  const requestable = await onlyMatch(candidates, isRequestable);
  if (requestable !== null) {
    return assume(
      requestable,
      `no other platform supports ${method} here, and the archive has no account of this name`,
    );
  }
  if (onDefault !== null) return { target: onDefault, warnings: [] };
  throw malformed(input, {
    message: "the archive has no account of this name, and the query names no platform",
    hint: `use ${candidates.map(targetText).join(", ")} or @${name}@<server>`,
  });

  async function answerable(target: UserTarget) {
    const platform = target.platform ?? defaultPlatform;
    return await sources.answerable({ platform, type, method, accountId, target });
  }
  async function isAnswered(target: UserTarget): Promise<boolean> {
    return (await answerable(target)).ok;
  }
  async function isRequestable(target: UserTarget): Promise<boolean> {
    const answer = await answerable(target);
    return answer.ok && answer.usesUpstream;
  }

  /** Throws if several match. */
  async function onlyMatch(
    targets: readonly UserTarget[],
    matches: (target: UserTarget) => Promise<boolean>,
  ): Promise<UserTarget | null> {
    const checks = await Promise.all(targets.map(matches));
    const matching = targets.filter((_, index) => checks[index]);
    if (matching.length > 1) throw ambiguous(input, matching.map(targetText));
    return matching[0] ?? null;
  }

  function assume(target: UserTarget, why: string): Resolution {
    const form = targetText(target);
    const warning = {
      code: "platform_assumed",
      message: `${input.text} names no platform and was taken to mean ${form}: ${why}`,
      hint: `send ${form} to name this account`,
    };
    return { target, warnings: [warning] };
  }
}
