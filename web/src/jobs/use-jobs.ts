import { useSyncExternalStore } from "preact/compat";
import { api } from "../api.ts";
import { createJobFeed, type FeedSnapshot } from "./feed.ts";
import { type JobFeedEvent, type JobList, runningStates } from "./job.ts";

const eventsPath = "/v1/search/live/events";

const feed = createJobFeed({
  open: ({ onOpen, onJob, onError }) => {
    const source = new EventSource(eventsPath);
    source.addEventListener("open", onOpen);
    source.addEventListener("error", onError);
    // Format: docs/api.md.
    source.addEventListener("job", ({ data }) => onJob(JSON.parse(String(data)) as JobFeedEvent));
    return () => source.close();
  },
  listRunning: () => api.get<JobList>(`/v1/search/live/jobs?limit=100&status=${runningStates}`),
  nowMs: Date.now,
  schedule: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
});

document.addEventListener("visibilitychange", () => feed.setVisible(!document.hidden));
window.addEventListener("online", feed.retry);

export function useJobFeed(): FeedSnapshot {
  return useSyncExternalStore(feed.subscribe, feed.getSnapshot);
}

export const retryFeed = feed.retry;
