import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { type Person, type Post, profileCollection } from "../../testkit/bluesky-world/people.ts";
import type { Label, Network } from "./network.ts";

/** Earshot trusts only this labeler. */
export const labelerDid = "did:plc:labelerofearshottests234";
const outsiderDid = "did:plc:outsideofearshottests234";

export type Moderation = {
  label(): Promise<void>;
  /** Takes the account down at its PDS and by a label. */
  takeDown(person: Person): Promise<void>;
  allow(): Promise<void>;
  labels: readonly Label[];
};

export function createModeration(
  network: Network,
  people: readonly Person[],
  draw: Draw,
): Moderation {
  const labels: Label[] = [];
  let takedowns: { person: Person; post: Post }[] = [];

  async function addLabel(label: Omit<Label, "cts">): Promise<void> {
    const datedLabel = { ...label, cts: new Date().toISOString() };
    labels.push(datedLabel);
    await network.label([datedLabel]);
  }

  const setTakedown = ({ uri, cid }: Post, takedown: object): Promise<object> =>
    network.call("com.atproto.admin.updateSubjectStatus", network.administrator, {
      subject: { $type: "com.atproto.repo.strongRef", uri, cid },
      takedown,
    });

  /** Excludes takedowns, which must also end at the PDS. */
  const negatableLabels = (): Label[] =>
    labels.filter(
      ({ neg, src, uri }) =>
        !neg && src === labelerDid && !takedowns.some(({ post }) => post.uri === uri),
    );

  return {
    label: async () => {
      const earlierLabel = draw.chance(0.3) ? draw.pickOrNull(negatableLabels()) : null;
      if (earlierLabel !== null) {
        const { src, uri, val } = earlierLabel;
        return await addLabel({ src, uri, val, neg: true });
      }
      const { did, posts } = draw.pick(people);
      const post = draw.chance(0.8) ? draw.pickOrNull(posts) : null;
      const account = draw.chance(0.5) ? `at://${did}/${profileCollection}/self` : did;
      const expiry = new Date(Date.now() + 3_000).toISOString();
      await addLabel({
        src: draw.chance(0.15) ? outsiderDid : labelerDid,
        uri: post?.uri ?? account,
        val: draw.pick(["porn", "spam", "graphic-media", "!hide", "!takedown"]),
        ...(draw.chance(0.1) ? { exp: expiry } : {}),
      });
    },
    takeDown: async (person) => {
      const post = draw.pickOrNull(person.posts);
      if (post === null) return;
      person.posts = person.posts.filter((other) => other !== post);
      takedowns.push({ person, post });
      await setTakedown(post, { applied: true, ref: "1" });
      await addLabel({ src: labelerDid, uri: post.uri, val: "!takedown" });
    },
    allow: async () => {
      const first = takedowns.find(({ person }) => person.to === "active");
      if (first === undefined) return;
      takedowns = takedowns.filter((each) => each !== first);
      first.person.posts.push(first.post);
      await setTakedown(first.post, { applied: false });
      await addLabel({ src: labelerDid, uri: first.post.uri, val: "!takedown", neg: true });
    },
    labels,
  };
}
