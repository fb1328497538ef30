import { useState } from "react";
import { ApiProblem } from "../api.ts";

/** A request that a button sends: whether it is under way, and what refused it. */
export type Asked = {
  isUnderWay: boolean;
  problem: ApiProblem | null;
  /** Runs one at a time; a refusal is kept in `problem`. Errors: what is no ApiProblem. */
  run(act: () => Promise<unknown>): Promise<void>;
};

export function useAsking(): Asked {
  const [isUnderWay, setUnderWay] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const run = async (act: () => Promise<unknown>) => {
    if (isUnderWay) return;
    setUnderWay(true);
    setProblem(null);
    try {
      await act();
    } catch (fault) {
      if (!(fault instanceof ApiProblem)) throw fault;
      setProblem(fault);
    } finally {
      setUnderWay(false);
    }
  };
  return { isUnderWay, problem, run };
}
