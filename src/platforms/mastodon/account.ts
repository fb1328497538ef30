import { stripControls } from "../../lib/controls.ts";
import { asFields, string } from "../fields.ts";

export type AccountNames = {
  /** `<id>@<host>`, because ids are local to a server. */
  userId: string;
  username: string;
  displayName: string | null;
};

const maxNameLength = 500;
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

export function readAccountNames(account: unknown, instance: string): AccountNames | null {
  const { id, acct, display_name: name } = asFields(account);
  const accountId = readLocalId(id);
  const username = readQualifiedAcct(acct, instance);
  if (accountId === null || username === null) return null;
  const displayName = stripControls(string(name, maxNameLength) ?? "").trim();
  return { userId: qualifyId(accountId, instance), username, displayName: displayName || null };
}

export const readLocalId = (value: unknown): string | null =>
  typeof value === "string" && idPattern.test(value) ? value : null;

export const qualifyId = (id: string, instance: string): string => `${id}@${instance}`;

/** Null if the id is invalid or belongs to another server. Unqualified ids are local. */
export function localId(instance: string, userId: string): string | null {
  const at = userId.lastIndexOf("@");
  if (at < 0) return readLocalId(userId);
  return userId.slice(at + 1).toLowerCase() === instance ? readLocalId(userId.slice(0, at)) : null;
}

/** Returns `user@host`, adding the server to a local name. */
export function readQualifiedAcct(acct: unknown, instance: string): string | null {
  if (typeof acct !== "string" || acct.length > 320) return null;
  const name = acct.replace(/^@/, "");
  if (!/^[^\s@/?#\p{Cc}]{1,200}(?:@[^\s@/?#\p{Cc}]{1,255})?$/u.test(name)) return null;
  return (name.includes("@") ? name : `${name}@${instance}`).toWellFormed();
}
