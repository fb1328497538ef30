import { useState } from "preact/compat";
import { ApiProblem } from "../api.ts";

/** A request sent by a button. */
export type ActionState = {
  isPending: boolean;
  problem: ApiProblem | null;
  /** Ignored while a request is running. Errors other than `ApiProblem` are thrown. */
  run(act: () => Promise<unknown>): Promise<void>;
};

export function useAction(): ActionState {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const run = async (act: () => Promise<unknown>) => {
    if (isPending) return;
    setPending(true);
    setProblem(null);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setPending(false);
    }
  };
  return { isPending, problem, run };
}
