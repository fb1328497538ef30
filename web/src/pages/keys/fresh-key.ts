import { useSyncExternalStore } from "react";
import type { NewKeyAnswer } from "../../../../src/http/dashboard/contract.ts";
import { api, onSignedOut } from "../../api.ts";

/** A key that was just made, of which the server keeps a hash alone. */
export type FreshKey = NewKeyAnswer & {
  accountId: string;
  /** Ends in "key" and says what it is. */
  title: string;
  /** What stands above a call with it. */
  callTitle: string;
};

let held: readonly FreshKey[] = [];
const listeners = new Set<() => void>();

/** Holds a key until its owner has stored it or the page is closed: going to another page and back does not lose it. */
export function holdFreshKey(key: FreshKey): void {
  change([key, ...held]);
}

/** Forgets a key that was stored or revoked. */
export function forgetFreshKey(id: string): void {
  change(held.filter(({ key }) => key.id !== id));
}

onSignedOut(() => change([]));

function change(keys: readonly FreshKey[]): void {
  held = keys;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The keys that this account has made and not stored yet, the latest first. */
export function useFreshKeys(accountId: string): readonly FreshKey[] {
  const keys = useSyncExternalStore(subscribe, () => held);
  return keys.filter((key) => key.accountId === accountId);
}

const firstTitles = { title: "Your new key: copy it now", callTitle: "Your first request" };

const asked = new Map<string, Promise<void>>();

/** Has the first key of an account made and holds it, once however often it is called at the same time. Errors: ApiProblem. */
export function issueFirstKey(accountId: string): Promise<void> {
  const under = asked.get(accountId);
  if (under !== undefined) return under;
  if (held.some((key) => key.accountId === accountId)) return Promise.resolve();
  const issued = api
    .post<NewKeyAnswer>("/dashboard/api/keys/first")
    .then((answer) => holdFreshKey({ ...answer, accountId, ...firstTitles }))
    .finally(() => asked.delete(accountId));
  asked.set(accountId, issued);
  return issued;
}
