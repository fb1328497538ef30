export type Caller = {
  call<Body>(method: string, authorization: string | null, body: object): Promise<Body>;
};

export type Person = {
  did: string;
  handle: string;
  authorization: string;
  to: "active" | "deactivated" | "takendown" | "deleted";
  posts: Post[];
  freeKeys: string[];
  likes: Reaction[];
  reposts: Reaction[];
};

export type Post = { uri: string; cid: string; key: string; root: Reference | null };
export type Reference = { uri: string; cid: string };
type Reaction = { key: string; subject: string };

export const postCollection = "app.bsky.feed.post";
export const likeCollection = "app.bsky.feed.like";
export const repostCollection = "app.bsky.feed.repost";
export const profileCollection = "app.bsky.actor.profile";

export type Write =
  | { kind: "create"; collection: string; record: Record<string, unknown>; key?: string }
  | { kind: "update"; collection: string; record: Record<string, unknown>; key: string }
  | { kind: "delete"; collection: string; key: string };

/** Only people in `passwords` have a password, because hashing is slow. */
export async function makePeople(
  network: Caller,
  count: number,
  passwords: ReadonlyMap<number, string> = new Map(),
): Promise<Person[]> {
  const people: Person[] = [];
  let createdCount = 0;
  const createPeople = async (): Promise<void> => {
    while (createdCount < count) {
      const handle = `person${createdCount}.test`;
      const password = passwords.get(createdCount);
      createdCount += 1;
      const { did, accessJwt } = await network.call<{ did: string; accessJwt: string }>(
        "com.atproto.server.createAccount",
        null,
        {
          handle,
          email: `${handle}@example.com`,
          ...(password === undefined ? {} : { password }),
        },
      );
      people.push({
        did,
        handle,
        authorization: `Bearer ${accessJwt}`,
        to: "active",
        posts: [],
        freeKeys: [],
        likes: [],
        reposts: [],
      });
    }
  };
  await Promise.all([createPeople(), createPeople(), createPeople(), createPeople()]);
  return people.sort((a, b) => personNumber(a) - personNumber(b));
}

const personNumber = ({ handle }: Person): number => Number(/\d+/.exec(handle)?.[0]);

/** Writes in one commit; returns the uris in order. */
export async function write(
  network: Caller,
  person: Person,
  writes: readonly Write[],
): Promise<readonly string[]> {
  const { results } = await network.call<{ results: Partial<Reference>[] }>(
    "com.atproto.repo.applyWrites",
    person.authorization,
    { repo: person.did, writes: writes.map(writeRequest) },
  );
  for (const [index, change] of writes.entries()) {
    const { uri = "", cid = "" } = results[index] ?? {};
    applyWrite(person, change, { uri, cid });
  }
  return results.map(({ uri }) => uri ?? "");
}

export async function putRecord(
  network: Caller,
  person: Person,
  change: Write & { kind: "update" },
): Promise<void> {
  const reference = await network.call<Reference>(
    "com.atproto.repo.putRecord",
    person.authorization,
    { repo: person.did, collection: change.collection, rkey: change.key, record: change.record },
  );
  applyWrite(person, change, reference);
}

function writeRequest(change: Write): object {
  const $type = `com.atproto.repo.applyWrites#${change.kind}`;
  const { collection } = change;
  const rkey = change.key === undefined ? {} : { rkey: change.key };
  const value = change.kind === "delete" ? {} : { value: change.record };
  return { $type, collection, ...rkey, ...value };
}

function applyWrite(person: Person, change: Write, { uri, cid }: Reference): void {
  const { collection } = change;
  const key = change.key ?? uri.split("/").at(-1) ?? "";
  if (collection === likeCollection || collection === repostCollection) {
    const reactions = collection === likeCollection ? person.likes : person.reposts;
    if (change.kind === "create") reactions.push({ key, subject: recordSubject(change.record) });
    else remove(reactions, key);
    return;
  }
  if (collection !== postCollection) return;
  const existing = person.posts.find((post) => post.key === key);
  if (change.kind === "delete") {
    remove(person.posts, key);
    person.freeKeys.push(key);
  } else if (existing !== undefined) existing.cid = cid;
  else person.posts.push({ uri, cid, key, root: recordRoot(change.record) });
  if (change.kind === "create") person.freeKeys = person.freeKeys.filter((free) => free !== key);
}

function remove(list: { key: string }[], key: string): void {
  const index = list.findIndex((each) => each.key === key);
  if (index >= 0) list.splice(index, 1);
}

const recordSubject = (record: Record<string, unknown>): string =>
  (record.subject as Reference).uri;

const recordRoot = (record: Record<string, unknown>): Reference | null =>
  (record.reply as { root: Reference } | undefined)?.root ?? null;
