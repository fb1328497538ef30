import { withoutControls } from "../../text/controls.ts";
import { fieldsOf, string } from "../fields.ts";

/** Who an account is, as the server `instance` tells it. */
export type AccountNames = {
  /** `<id>@<host>`: an id counts on one server alone. */
  userId: string;
  /** With its host. */
  username: string;
  displayName: string | null;
};

const nameLength = 500;
/** Numbers on Mastodon, other letters elsewhere; longer ones are none. */
const idForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The names of an account; null when it has none by which it could be told from others. */
export function namesOfAccount(account: unknown, instance: string): AccountNames | null {
  const { id, acct, display_name: name } = fieldsOf(account);
  const accountId = readId(id);
  const username = readAccount(acct, instance);
  if (accountId === null || username === null) return null;
  const displayName = withoutControls(string(name, nameLength) ?? "").trim();
  return { userId: idAt(accountId, instance), username, displayName: displayName || null };
}

/** The id of an account or a status, which other servers of this API write as letters; null when it is none. */
export const readId = (value: unknown): string | null =>
  typeof value === "string" && idForm.test(value) ? value : null;

/** An id together with the server that it counts on. */
export const idAt = (id: string, instance: string): string => `${id}@${instance}`;

/** The id without its server; null when it counts on another one. A bare id is taken for one of the server. */
export function idOn(instance: string, userId: string): string | null {
  const at = userId.lastIndexOf("@");
  if (at < 0) return readId(userId);
  return userId.slice(at + 1).toLowerCase() === instance ? readId(userId.slice(0, at)) : null;
}

/** `user@host`, where a name alone is one of the server; null when it is no name. */
export function readAccount(acct: unknown, instance: string): string | null {
  if (typeof acct !== "string" || acct.length > 320) return null;
  const written = acct.replace(/^@/, "");
  if (!/^[^\s@/?#\p{Cc}]{1,200}(?:@[^\s@/?#\p{Cc}]{1,255})?$/u.test(written)) return null;
  return (written.includes("@") ? written : `${written}@${instance}`).toWellFormed();
}
