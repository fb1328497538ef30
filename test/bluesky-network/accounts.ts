import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { type Person, profileCollection, putRecord } from "../../testkit/bluesky-world/people.ts";
import { selfLabels } from "../../testkit/bluesky-world/records.ts";
import type { Network } from "./network.ts";

export type Accounts = {
  rename(person: Person): Promise<void>;
  /** Sometimes requests to be hidden from signed-out viewers. */
  describe(person: Person): Promise<void>;
  setStatus(person: Person, status: Person["to"]): Promise<void>;
  remove(person: Person): Promise<void>;
  /** Former owners by handle. */
  formerHandles: ReadonlyMap<string, ReadonlySet<string>>;
};

export function createAccounts(network: Network, people: readonly Person[], draw: Draw): Accounts {
  const formerHandles = new Map<string, Set<string>>();
  const restrictedPeople = new Set<Person>();
  let renameCount = 0;

  /** Sometimes returns a former handle. */
  function drawHandle(): string {
    const freeHandles = [...formerHandles.keys()].filter(
      (name) => !people.some(({ handle }) => handle === name),
    );
    return (
      (draw.chance(0.3) ? draw.pickOrNull(freeHandles) : null) ?? `renamed${renameCount++}.test`
    );
  }

  return {
    rename: async (person) => {
      const handle = drawHandle();
      await network.call("com.atproto.identity.updateHandle", person.authorization, { handle });
      const formerOwners = formerHandles.get(person.handle) ?? new Set();
      formerHandles.set(person.handle, formerOwners.add(person.did));
      person.handle = handle;
    },
    describe: async (drawnPerson) => {
      const restrictedPerson = draw.chance(0.3) ? draw.pickOrNull([...restrictedPeople]) : null;
      const person = restrictedPerson?.to === "active" ? restrictedPerson : drawnPerson;
      const isRestricting = person !== restrictedPerson && draw.chance(0.3);
      if (isRestricting) restrictedPeople.add(person);
      else restrictedPeople.delete(person);
      await putRecord(network, person, {
        kind: "update",
        collection: profileCollection,
        key: "self",
        record: {
          $type: profileCollection,
          displayName: `Person ${draw.below(1_000)}`,
          ...(isRestricting ? { labels: selfLabels(["!no-unauthenticated"]) } : {}),
        },
      });
    },
    setStatus: async (person, status) => {
      await network.call("com.atproto.admin.updateSubjectStatus", network.administrator, {
        subject: { $type: "com.atproto.admin.defs#repoRef", did: person.did },
        ...statusChange(person.to, status),
      });
      person.to = status;
    },
    remove: async (person) => {
      const { did } = person;
      await network.call("com.atproto.admin.deleteAccount", network.administrator, { did });
      person.to = "deleted";
      person.posts = [];
    },
    formerHandles,
  };
}

function statusChange(from: Person["to"], status: Person["to"]): object {
  if (from === "deactivated") return { deactivated: { applied: false } };
  if (from === "takendown") return { takedown: { applied: false } };
  return status === "deactivated"
    ? { deactivated: { applied: true } }
    : { takedown: { applied: true, ref: "1" } };
}
