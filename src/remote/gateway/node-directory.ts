import type { Work } from "../capability.ts";
import type { NodeGatewayContext } from "./context.ts";
import { Eligibility } from "./eligibility.ts";
import { JobFailures } from "./job-failures.ts";
import { NodeEvents } from "./node-events.ts";
import { NodeRegistry } from "./node-registry.ts";
import { type NodeView, viewOf } from "./node-views.ts";
import { type ReleaseSource, Releases } from "./releases.ts";
import { Runs } from "./runs.ts";

export type NodeDirectoryContext = Pick<
  NodeGatewayContext,
  "settings" | "store" | "clock" | "log"
> & {
  running: { of(nodeId: string): number };
  /** Reach (`reachOf`) of the embedded node; 0 if it defers to others. */
  embeddedReach: (work: Work) => number;
  releases?: ReleaseSource;
};

export class NodeDirectory {
  readonly known: NodeRegistry;
  readonly runs: Runs;
  readonly events: NodeEvents;
  readonly failures: JobFailures;
  readonly released: Releases;
  readonly eligibility: Eligibility;
  readonly #clock: NodeDirectoryContext["clock"];

  constructor(context: NodeDirectoryContext) {
    this.#clock = context.clock;
    this.known = new NodeRegistry(context.store);
    this.runs = new Runs(context.clock);
    const { known, runs } = this;
    this.events = new NodeEvents({ ...context, known });
    const { events } = this;
    this.failures = new JobFailures({ ...context, events });
    this.released = new Releases({ ...context, runs, events });
    const { failures, released } = this;
    this.eligibility = new Eligibility({ ...context, known, runs, failures, released });
  }

  nodes(): readonly NodeView[] {
    const context = { clock: this.#clock, runs: this.runs, eligibility: this.eligibility };
    return this.known
      .all()
      .filter(({ state }) => state !== "removed")
      .toSorted((one, other) => one.createdMs - other.createdMs)
      .map((record) => viewOf(record, context));
  }
}
