import type { Metrics } from "../../http/metrics/metrics.ts";
import type { ServiceEvents } from "../service-events.ts";

export function recordMetrics(events: ServiceEvents, metrics: Metrics): void {
  events.on("storeWritten", ({ seconds }) => metrics.storeWriteSeconds.observe(seconds));
  events.on("upstreamRequested", (labels) => metrics.upstreamRequests.inc(labels));
  events.on("jobEnded", ({ method, state }) => metrics.jobsEnded.inc({ method, state }));
  events.on("searchAnswered", ({ method, ms }) => {
    metrics.queueSeconds.observe({ method }, 0);
    metrics.runSeconds.observe({ method }, ms / 1000);
    metrics.shortSearches.inc({ outcome: "answered" });
  });
  events.on("shortSearchSkipped", ({ reason }) => metrics.shortSearches.inc({ outcome: reason }));
  events.on("attemptFailed", ({ method }) => metrics.failedAttempts.inc({ method }));
  events.on("deliveriesEnded", ({ outcome, deliveries }) =>
    metrics.webhookDeliveries.inc({ outcome }, deliveries),
  );
  events.on("jobDispatched", (labels) => metrics.nodeDispatches.inc(labels));
  events.on("nodeAnswerRefused", (labels) => metrics.refusedNodeAnswers.inc(labels));
  events.on("nodeRegistered", (labels) => metrics.nodeRegistrations.inc(labels));
  events.on("credentialReleased", ({ platform, owner }) =>
    metrics.releasedCredentials.inc({ platform, owner }),
  );
}
