import useSWRInfinite from "swr/infinite";
import type { AuditAnswer, AuditEntry } from "../../../src/http/dashboard/contract.ts";
import { type ApiProblem, api } from "../api.ts";

export type AuditLog = {
  /** Newest first; undefined while loading. */
  entries: readonly AuditEntry[] | undefined;
  problem: ApiProblem | undefined;
  /** Null if there is nothing older or a page is loading. */
  loadOlder: (() => void) | null;
  refresh(): Promise<void>;
};

export function useAudit(path: string): AuditLog {
  const { data, error, isLoading, setSize, size, mutate } = useSWRInfinite<AuditAnswer, ApiProblem>(
    (_at, before: AuditAnswer | null) => {
      if (before === null) return path;
      if (before.next === null) return null;
      return `${path}${path.includes("?") ? "&" : "?"}before=${before.next}`;
    },
    (requested: string) => api.get<AuditAnswer>(requested),
    { shouldRetryOnError: false, revalidateFirstPage: false },
  );
  const isOnItsMethod = isLoading || (data !== undefined && data.length < size);
  const hasOlder = data?.at(-1)?.next != null;
  return {
    entries: data?.flatMap(({ entries }) => entries),
    problem: error,
    loadOlder: hasOlder && !isOnItsMethod ? () => void setSize(size + 1) : null,
    refresh: async () => {
      await mutate();
    },
  };
}
