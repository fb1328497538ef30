import type { Network, Status } from "./network.ts";
import type { EmulatorSettings } from "./options.ts";
import { type EmulatedResponse, responses } from "./responses.ts";
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
  respond(request: EmulatedRequest, groups: readonly string[]): EmulatedResponse;
};

export function authorizationError(
  { token, settings }: EmulatedRequest,
  requirement: { scope: string; kind: "user" | "any" },
): EmulatedResponse | null {
  const { isClosed, differences } = settings;
  if (token === null) {
    if (requirement.kind === "user") return responses.invalidToken;
    return isClosed || differences.readsNeedToken ? responses.userRequired : null;
  }
  if (token.accountId === null) {
    if (requirement.kind === "user") return responses.userTokenRequired;
    return differences.readsNeedToken ? responses.userRequired : null;
  }
  return allows(token.scopes, requirement.scope) ? null : responses.outOfScope;
}

export function isVisible(status: Status, { token, network }: EmulatedRequest): boolean {
  const author = network.accounts.get(status.accountId);
  if (author === undefined || author.suspended || !status.isKnown) return false;
  if (status.visibility === "public" || status.visibility === "unlisted") return true;
  const viewerId = token?.accountId ?? null;
  if (viewerId === null) return false;
  if (viewerId === status.accountId || status.mentionIds.includes(viewerId)) return true;
  return (
    status.visibility === "private" &&
    network.follows.some(
      ({ followerId, followedId }) => followerId === viewerId && followedId === status.accountId,
    )
  );
}
