import { useSyncExternalStore } from "preact/compat";
import type { NewKeyResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { api, onSignedOut } from "../../api.ts";

/** The server stores only the token's hash. */
export type FreshKey = NewKeyResponse & {
  accountId: string;
  title: string;
  /** Heading of the example request. */
  callTitle: string;
};

let freshKeys: readonly FreshKey[] = [];
const listeners = new Set<() => void>();

/** Kept in memory, across pages, until the user has stored the key or closes the tab. */
export function storeFreshKey(key: FreshKey): void {
  setFreshKeys([key, ...freshKeys]);
}

export function forgetFreshKey(id: string): void {
  setFreshKeys(freshKeys.filter(({ key }) => key.id !== id));
}

onSignedOut(() => setFreshKeys([]));

function setFreshKeys(keys: readonly FreshKey[]): void {
  freshKeys = keys;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Latest first. */
export function useFreshKeys(accountId: string): readonly FreshKey[] {
  const keys = useSyncExternalStore(subscribe, () => freshKeys);
  return keys.filter((key) => key.accountId === accountId);
}

const firstTitles = { title: "Your new key: copy it now", callTitle: "Your first request" };

const pendingRequests = new Map<string, Promise<void>>();

/** Issued only once, even for concurrent calls. Errors: `ApiProblem`. */
export function issueFirstKey(accountId: string): Promise<void> {
  const pendingRequest = pendingRequests.get(accountId);
  if (pendingRequest !== undefined) return pendingRequest;
  if (freshKeys.some((key) => key.accountId === accountId)) return Promise.resolve();
  const request = api
    .post<NewKeyResponse>("/dashboard/api/keys/first")
    .then((response) => storeFreshKey({ ...response, accountId, ...firstTitles }))
    .finally(() => pendingRequests.delete(accountId));
  pendingRequests.set(accountId, request);
  return request;
}
