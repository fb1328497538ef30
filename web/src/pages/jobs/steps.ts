import { sentence } from "../../components/problem-note.tsx";
import type { Step } from "../../components/steps.tsx";
import type { JobStatus } from "../../jobs/job.ts";
import { durationText, quantityText } from "../../numbers.ts";

export function jobSteps(job: JobStatus): (Step & { name: string })[] {
  const { submitted_at: submittedAt, started_at: startedAt, attempts, node } = job;
  const steps: (Step & { name: string })[] = [
    { name: "received", icon: "done", text: "Received, saved to disk", at: submittedAt },
  ];
  if (startedAt !== null) {
    const text = node === "embedded" ? "Started on this server" : `Started on ${node}`;
    steps.push({
      name: "started",
      icon: "done",
      text: node === null ? "Started" : text,
      at: startedAt,
    });
  }
  if (attempts > 1) {
    const text = `${quantityText(attempts - 1, "attempt")} failed and ${attempts === 2 ? "was" : "were"} retried`;
    steps.push({ name: "retries", icon: "retry", text, at: null, tone: "caution" });
  }
  return [...steps, ...stepStates(job)];
}

function stepStates(job: JobStatus): (Step & { name: string })[] {
  const { finished_at: finishedAt, expires_at: expiresAt } = job;
  switch (job.status) {
    case "received":
      return [{ name: "state", icon: "circle", text: "Waiting for a node", at: null }];
    case "in progress":
      return [{ name: "state", icon: "progress", text: "Searching", at: null }];
    case "error(retrying)": {
      const text = `Attempt ${job.attempts} failed; retrying automatically`;
      return [{ name: "state", icon: "retry", text, at: null, tone: "caution" }];
    }
    case "error": {
      const [message = "", ...hints] = job.error.split("; ");
      const text = message === "" ? "Failed" : `Failed: ${message}`;
      const detail = hints.length === 0 ? {} : { detail: sentence(hints.join("; ")) };
      return [{ name: "state", icon: "error", text, ...detail, at: finishedAt, tone: "danger" }];
    }
    case "cancelled": {
      const detail = "The job counts against the searches per minute.";
      return [{ name: "state", icon: "cancelled", text: "Cancelled", detail, at: finishedAt }];
    }
    case "expired":
      return [
        { name: "state", icon: "done", text: "Done", at: finishedAt },
        { name: "expired", icon: "clock", text: "Result expired", at: expiresAt },
      ];
    default: {
      const text = job.count === null ? "Done" : `Done: ${quantityText(job.count, "result")}`;
      return [{ name: "state", icon: "done", text, ...durationDetail(job), at: finishedAt }];
    }
  }
}

function durationDetail({ submitted_at: from, finished_at: to }: JobStatus): { detail?: string } {
  if (to === null) return {};
  return { detail: `${durationText(Date.parse(to) - Date.parse(from))} after submission` };
}
