import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { type Person, profileCollection, putRecord } from "../../testkit/bluesky-world/people.ts";
import { selfLabels } from "../../testkit/bluesky-world/records.ts";
import type { Network } from "./network.ts";

export type Accounts = {
  rename(person: Person): Promise<void>;
  /** Sometimes requests to be hidden from signed-out viewers. */
  describe(person: Person): Promise<void>;
  setStatus(person: Person, status: Person["status"]): Promise<void>;
  remove(person: Person): Promise<void>;
  /** Former owners by handle. */
  formerHandles: ReadonlyMap<string, ReadonlySet<string>>;
};

export function createAccounts(network: Network, people: readonly Person[], draw: Draw): Accounts {
  const formerHandles = new Map<string, Set<string>>();
  const restricted = new Set<Person>();
  let names = 0;

  /** Sometimes returns a former handle. */
  function drawHandle(): string {
    const free = [...formerHandles.keys()].filter(
      (name) => !people.some(({ handle }) => handle === name),
    );
    return (draw.chance(0.3) ? draw.pickOrNull(free) : null) ?? `renamed${names++}.test`;
  }

  return {
    rename: async (person) => {
      const handle = drawHandle();
      await network.call("com.atproto.identity.updateHandle", person.authorization, { handle });
      const formerOwners = formerHandles.get(person.handle) ?? new Set();
      formerHandles.set(person.handle, formerOwners.add(person.did));
      person.handle = handle;
    },
    describe: async (drawn) => {
      const before = draw.chance(0.3) ? draw.pickOrNull([...restricted]) : null;
      const person = before?.status === "active" ? before : drawn;
      const restricts = person !== before && draw.chance(0.3);
      if (restricts) restricted.add(person);
      else restricted.delete(person);
      await putRecord(network, person, {
        kind: "update",
        collection: profileCollection,
        key: "self",
        record: {
          $type: profileCollection,
          displayName: `Person ${draw.below(1_000)}`,
          ...(restricts ? { labels: selfLabels(["!no-unauthenticated"]) } : {}),
        },
      });
    },
    setStatus: async (person, status) => {
      await network.call("com.atproto.admin.updateSubjectStatus", network.administrator, {
        subject: { $type: "com.atproto.admin.defs#repoRef", did: person.did },
        ...changeTo(person.status, status),
      });
      person.status = status;
    },
    remove: async (person) => {
      const { did } = person;
      await network.call("com.atproto.admin.deleteAccount", network.administrator, { did });
      person.status = "deleted";
      person.posts = [];
    },
    formerHandles,
  };
}

function changeTo(before: Person["status"], status: Person["status"]): object {
  if (before === "deactivated") return { deactivated: { applied: false } };
  if (before === "takendown") return { takedown: { applied: false } };
  return status === "deactivated"
    ? { deactivated: { applied: true } }
    : { takedown: { applied: true, ref: "1" } };
}
