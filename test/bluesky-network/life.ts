import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import type { Person } from "../../testkit/bluesky-world/people.ts";
import { type Accounts, createAccounts } from "./accounts.ts";
import { createModeration, type Moderation } from "./moderation.ts";
import type { Network } from "./network.ts";
import { add, createWrites, type Tally, type Writes } from "./writes.ts";

/** Changes the network at random, step by step. */
export type Life = Pick<Writes, "created" | "recreated"> &
  Pick<Accounts, "formerHandles"> &
  Pick<Moderation, "labels"> & {
    step(): Promise<void>;
    actionCounts(): Record<string, Tally>;
  };

const weights = {
  write: 78,
  edit: 4,
  rename: 4,
  describe: 3,
  deactivate: 1.5,
  reactivate: 1,
  takeDown: 1.2,
  allow: 0.8,
  remove: 0.6,
  label: 5,
  takeDownPost: 1,
  allowPost: 0.6,
};

export function startLife(network: Network, people: readonly Person[], draw: Draw): Life {
  const writes = createWrites(network, people, draw);
  const accounts = createAccounts(network, people, draw);
  const moderation = createModeration(network, people, draw);
  const stepCounts = new Map<string, number>();

  const withStatus = (status: Person["to"]): Person[] =>
    people.filter((person) => person.to === status);
  const drawActive = (): Person => draw.pick(withStatus("active"));

  async function change(from: Person["to"], to: Person["to"]): Promise<void> {
    const person = draw.pickOrNull(withStatus(from));
    if (person !== null) await accounts.setStatus(person, to);
  }

  const steps = {
    write: () => writes.writeSome(drawActive()),
    edit: () => writes.edit(drawActive()),
    rename: () => accounts.rename(drawActive()),
    describe: () => accounts.describe(drawActive()),
    deactivate: () => change("active", "deactivated"),
    reactivate: () => change("deactivated", "active"),
    takeDown: () => change("active", "takendown"),
    allow: () => change("takendown", "active"),
    remove: () => accounts.remove(drawActive()),
    label: moderation.label,
    takeDownPost: () => moderation.takeDown(drawActive()),
    allowPost: moderation.allow,
  };

  return {
    step: async () => {
      const kind = draw.pickWeighted(weights);
      add(stepCounts, kind);
      await steps[kind]();
    },
    created: writes.created,
    recreated: writes.recreated,
    formerHandles: accounts.formerHandles,
    labels: moderation.labels,
    actionCounts: () => ({ steps: stepCounts, writes: writes.actionCounts }),
  };
}
