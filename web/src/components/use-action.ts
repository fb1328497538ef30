import { useState } from "preact/compat";
import { ApiProblem } from "../api.ts";

/** A request sent by a button: whether it is running, and its error. */
export type Requested = {
  isUnderWay: boolean;
  problem: ApiProblem | null;
  /** Ignored while one is running. Errors other than ApiProblem are thrown. */
  run(act: () => Promise<unknown>): Promise<void>;
};

export function useAction(): Requested {
  const [isUnderWay, setUnderWay] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const run = async (act: () => Promise<unknown>) => {
    if (isUnderWay) return;
    setUnderWay(true);
    setProblem(null);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setUnderWay(false);
    }
  };
  return { isUnderWay, problem, run };
}
