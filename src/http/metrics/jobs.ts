import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

export function addJobMetrics(registry: Registry, queueDepth: () => number) {
  const registers = [registry];
  const buckets = secondsBuckets;
  new Gauge({
    name: "earshot_job_queue_depth",
    help: "Jobs waiting for a node",
    registers,
    collect() {
      this.set(queueDepth());
    },
  });
  return {
    submissions: new Counter({
      name: "earshot_submissions_total",
      help: "Searches accepted",
      labelNames: ["method"],
      registers,
    }),
    shortSearches: new Counter({
      name: "earshot_short_searches_total",
      help: "Submitted searches, by whether the control thread answered them, or why not",
      labelNames: ["outcome"],
      registers,
    }),
    jobsEnded: new Counter({
      name: "earshot_jobs_ended_total",
      help: "Ended jobs, by final state",
      labelNames: ["method", "state"],
      registers,
    }),
    failedAttempts: new Counter({
      name: "earshot_failed_attempts_total",
      help: "Failed attempts, and attempts whose node was lost",
      labelNames: ["method"],
      registers,
    }),
    jobsRunning: new Gauge({
      name: "earshot_jobs_running",
      help: "Jobs running on the embedded node",
      registers,
    }),
    queueSeconds: new Histogram({
      name: "earshot_job_queue_seconds",
      help: "Time from submission to the first attempt",
      labelNames: ["method"],
      buckets: [...buckets, 120],
      registers,
    }),
    runSeconds: new Histogram({
      name: "earshot_job_run_seconds",
      help: "Duration of an attempt",
      labelNames: ["method"],
      buckets: [...buckets, 120],
      registers,
    }),
  };
}
