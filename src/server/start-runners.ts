import { type Runner, type RunnerOptions, startRunner } from "../jobs/runner.ts";
import { fetchMethods, searchMethods } from "../platforms/methods.ts";
import type { Config } from "./config.ts";

/** Searches have their own runner, so that slow fetches do not delay them. */
export function startRunners(
  { concurrency, fetchConcurrency }: Pick<Config["jobs"], "concurrency" | "fetchConcurrency">,
  node: Omit<RunnerOptions, "methods" | "concurrency">,
): Runner {
  const runners = [
    startRunner({ ...node, methods: searchMethods, concurrency }),
    startRunner({ ...node, methods: fetchMethods, concurrency: fetchConcurrency }),
  ];
  return {
    stop: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}
