import type { AppsResponse } from "../../../../src/http/dashboard/contract/connect.ts";
import type { KeysResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { useApi } from "../../use-api.ts";

/** Of keys and connected apps; null is the dashboard. */
export function useKeyNames(): (key: string | null) => string {
  const { data: keys } = useApi<KeysResponse>("/dashboard/api/keys");
  const { data: apps } = useApi<AppsResponse>("/dashboard/api/apps");
  const callers = [...(keys?.keys ?? []), ...(apps?.apps ?? [])];
  return (key) =>
    key === null ? "Dashboard" : (callers.find(({ id }) => id === key)?.name ?? key);
}
