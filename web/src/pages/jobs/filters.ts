import { type Method, methodNames } from "../../../../src/platforms/methods.ts";
import type { SearchPlatform } from "../../../../src/platforms/source.ts";
import { platforms } from "../../../../src/posts/post.ts";
import { runningStates } from "../../jobs/job.ts";
import { platformNames } from "../../platforms.ts";

export type StateFilter = "all" | "running" | "failed" | "cancelled";

/**
 * The filter in the page's address: `?show=running&platform=x&method=gettweets&query=ann`; empty
 * matches all jobs.
 */
export type JobFilter = {
  state: StateFilter;
  platform: SearchPlatform | "";
  method: Method | "";
  text: string;
};

export const allJobsFilter: JobFilter = { state: "all", platform: "", method: "", text: "" };

const statesOf = {
  all: null,
  running: runningStates,
  failed: "error",
  cancelled: "cancelled",
} as const;

export const platformOptions: readonly { value: JobFilter["platform"]; label: string }[] = [
  { value: "", label: "Any platform" },
  { value: "social", label: "All platforms at once" },
  ...platforms.map((name) => ({ value: name, label: platformNames[name] })),
];

export const methodOptions: readonly { value: JobFilter["method"]; label: string }[] = [
  { value: "", label: "Any method" },
  ...methodNames.map((name) => ({ value: name, label: name })),
];

export function readFilter(parameters: URLSearchParams): JobFilter {
  const readOption = <Value extends string>(options: readonly { value: Value }[], name: string) =>
    options.find(({ value }) => value === parameters.get(name))?.value;
  const show = parameters.get("show");
  return {
    state: show === "running" || show === "failed" || show === "cancelled" ? show : "all",
    platform: readOption(platformOptions, "platform") ?? "",
    method: readOption(methodOptions, "method") ?? "",
    text: parameters.get("query") ?? "",
  };
}

/** Whether the filter narrows the list by more than state. */
export function isNarrowed({ platform, method, text }: JobFilter): boolean {
  return platform !== "" || method !== "" || text.trim() !== "";
}

export function listPath(filter: JobFilter, limit: number, cursor: string | null): string {
  const states = statesOf[filter.state];
  const parameters = new URLSearchParams({
    limit: String(limit),
    ...(states === null ? {} : { status: states }),
    ...filterParameters({ ...filter, text: filter.text.trim() }),
    ...(cursor === null ? {} : { cursor }),
  });
  return `/v1/search/live/jobs?${parameters}`;
}

export function jobPagePath(filter: JobFilter, uuid: string | null): string {
  const path = uuid === null ? "/jobs" : `/jobs/${uuid}`;
  const search = String(new URLSearchParams(jobsPageParameters(filter)));
  return search === "" ? path : `${path}?${search}`;
}

export function jobsPageParameters(filter: JobFilter): Record<string, string> {
  return { ...(filter.state === "all" ? {} : { show: filter.state }), ...filterParameters(filter) };
}

function filterParameters({ platform, method, text }: JobFilter): Record<string, string> {
  return {
    ...(platform === "" ? {} : { platform }),
    ...(method === "" ? {} : { method }),
    ...(text === "" ? {} : { query: text }),
  };
}
