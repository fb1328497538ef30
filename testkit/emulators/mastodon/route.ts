import { type Answer, answers } from "./answers.ts";
import type { Network, Status } from "./network.ts";
import type { EmulatorSettings } from "./options.ts";
import { allows, type createTokens, type Token } from "./tokens.ts";

export type EmulatedRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  token: Token | null;
  url: string;
  network: Network;
  settings: EmulatorSettings;
  tokens: ReturnType<typeof createTokens>;
  form: URLSearchParams;
};

export type Route = {
  method: "GET" | "POST";
  path: RegExp;
  answer(requested: EmulatedRequest, groups: readonly string[]): Answer;
};

export function refusedWithout(
  { token, settings }: EmulatedRequest,
  needed: { scope: string; kind: "user" | "anybody" },
): Answer | null {
  const { isClosed, differences } = settings;
  if (token === null) {
    if (needed.kind === "user") return answers.invalidToken;
    return isClosed || differences.readsNeedToken ? answers.needsUser : null;
  }
  if (token.accountId === null) {
    if (needed.kind === "user") return answers.needsUserToken;
    return differences.readsNeedToken ? answers.needsUser : null;
  }
  return allows(token.scopes, needed.scope) ? null : answers.outOfScope;
}

export function isVisible(status: Status, { token, network }: EmulatedRequest): boolean {
  const author = network.accounts.get(status.accountId);
  if (author === undefined || author.suspended || !status.isKnown) return false;
  if (status.visibility === "public" || status.visibility === "unlisted") return true;
  const me = token?.accountId ?? null;
  if (me === null) return false;
  if (me === status.accountId || status.mentionIds.includes(me)) return true;
  return (
    status.visibility === "private" &&
    network.follows.some(
      ({ followerId, followedId }) => followerId === me && followedId === status.accountId,
    )
  );
}
