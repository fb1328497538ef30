/**
 * Never guesses among several accounts: the newest could differ between two pages. Sends no
 * lookups, which would cost requests and, on X, money.
 */

import type { Caller } from "../../accounts/authenticate.ts";
import { accountTarget, type BareName } from "../../platforms/bare-name.ts";
import type { FetchMethod } from "../../platforms/methods.ts";
import { targetInput } from "../../platforms/read-target.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { targetText, type UserTarget } from "../../platforms/target.ts";
import { ambiguousUserError, malformedTargetError } from "../../platforms/target-errors.ts";
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
  const defaultAccount =
    defaultPlatform === "bluesky" ? null : accountTarget(defaultPlatform, name);
  if (defaultAccount !== null && (await isRequestable(defaultAccount)))
    return { target: defaultAccount, warnings: [] };

  const archivedAccount = await onlyMatch(
    await findAccountsByName({ archive, clock }, name, accountId),
    isAnswerable,
  );
  if (archivedAccount !== null)
    return assume(archivedAccount, "it is the only account with this name in the archive");
  const candidates = platforms
    .map((platform) => accountTarget(platform, name))
    .filter((candidate) => candidate !== null);
  const requestableAccount = await onlyMatch(candidates, isRequestable);
  if (requestableAccount !== null) {
    return assume(
      requestableAccount,
      `no other platform supports ${method} here, and the archive has no account with this name`,
    );
  }
  if (defaultAccount !== null) return { target: defaultAccount, warnings: [] };
  throw malformedTargetError(input, {
    message: "the archive has no account with this name, and the query names no platform",
    hint: `use ${candidates.map(targetText).join(", ")} or @${name}@<server>`,
  });

  async function answerable(target: UserTarget) {
    const platform = target.platform ?? defaultPlatform;
    return await sources.answerable({ platform, type, method, accountId, target });
  }
  async function isAnswerable(target: UserTarget): Promise<boolean> {
    return (await answerable(target)).ok;
  }
  async function isRequestable(target: UserTarget): Promise<boolean> {
    const availability = await answerable(target);
    return availability.ok && availability.usesUpstream;
  }

  /** Throws if several match. */
  async function onlyMatch(
    targets: readonly UserTarget[],
    matches: (target: UserTarget) => Promise<boolean>,
  ): Promise<UserTarget | null> {
    const checks = await Promise.all(targets.map(matches));
    const matchingTargets = targets.filter((_, index) => checks[index]);
    if (matchingTargets.length > 1)
      throw ambiguousUserError(input, matchingTargets.map(targetText));
    return matchingTargets[0] ?? null;
  }

  function assume(target: UserTarget, reason: string): Resolution {
    const form = targetText(target);
    const warning = {
      code: "platform_assumed",
      message: `${input.text} names no platform and was taken to mean ${form}: ${reason}`,
      hint: `send ${form} to name this account`,
    };
    return { target, warnings: [warning] };
  }
}
