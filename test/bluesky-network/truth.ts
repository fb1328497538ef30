import {
  likeCollection,
  postCollection,
  profileCollection,
  type Reference,
  repostCollection,
} from "../../testkit/bluesky-world/people.ts";
import { labelerDid } from "./moderation.ts";
import type { Label, Network } from "./network.ts";

export type SeenPost = {
  uri: string;
  text: string;
  createdMs: number;
  userId: string;
  username: string;
  author: string | null;
  langs: readonly string[];
  inReplyTo: string | null;
  quoted: string | null;
  labels: readonly string[];
};

type Counts = Record<"likes" | "reposts" | "replies" | "quotes", Map<string, number>>;

export type Truth = {
  posts: ReadonlyMap<string, SeenPost>;
  counts: Counts;
  /** Active accounts. */
  accounts: readonly { did: string; handle: string; visibleCount: number }[];
};

type ListedRecord = { uri: string; value: RecordValue };
type RecordValue = {
  displayName?: string;
  text?: string;
  createdAt?: string;
  langs?: string[];
  reply?: { root: Reference; parent: Reference };
  embed?: { record?: Reference };
  labels?: { values: { val: string }[] };
  subject?: Reference;
};

/** Reads the public data of the PDS and applies the labels. */
export async function readTruth(network: Network, labels: readonly Label[]): Promise<Truth> {
  const currentValues = currentLabelValues(labels, Date.now());
  const posts = new Map<string, SeenPost>();
  const counts: Counts = {
    likes: new Map(),
    reposts: new Map(),
    replies: new Map(),
    quotes: new Map(),
  };
  const accounts: Truth["accounts"][number][] = [];
  for (const did of await activeAccounts(network)) {
    const { handle } = await network.read<{ handle: string }>("com.atproto.repo.describeRepo", {
      repo: did,
    });
    const accountLabels = [
      ...(currentValues.get(did) ?? []),
      ...(currentValues.get(`at://${did}/${profileCollection}/self`) ?? []),
    ];
    const [profile] = await readRecords(network, did, profileCollection);
    const ownLabels = profile === undefined ? [] : labelValues(profile);
    const isHidden = accountLabels.some(hides) || ownLabels.includes("!no-unauthenticated");
    let visibleCount = 0;
    for (const listed of await readRecords(network, did, postCollection)) {
      const { uri, value } = listed;
      count(counts.replies, value.reply?.parent.uri);
      count(counts.quotes, value.embed?.record?.uri);
      const postLabels = currentValues.get(uri) ?? [];
      if (isHidden || postLabels.some(hides)) continue;
      visibleCount += 1;
      posts.set(uri, {
        uri,
        text: value.text ?? "",
        createdMs: Date.parse(value.createdAt ?? ""),
        userId: did,
        username: handle,
        author: profile?.value.displayName ?? null,
        langs: value.langs ?? [],
        inReplyTo: value.reply?.parent.uri ?? null,
        quoted: value.embed?.record?.uri ?? null,
        labels: [...new Set([...labelValues(listed), ...postLabels, ...accountLabels])].toSorted(),
      });
    }
    for (const { value } of await readRecords(network, did, likeCollection)) {
      count(counts.likes, value.subject?.uri);
    }
    for (const { value } of await readRecords(network, did, repostCollection)) {
      count(counts.reposts, value.subject?.uri);
    }
    accounts.push({ did, handle, visibleCount });
  }
  return { posts, counts, accounts };
}

function count(tally: Map<string, number>, uri: string | undefined): void {
  if (uri !== undefined) tally.set(uri, (tally.get(uri) ?? 0) + 1);
}

const hides = (value: string): boolean => value === "!takedown" || value === "!hide";

const labelValues = ({ value }: ListedRecord): string[] =>
  value.labels?.values.map(({ val }) => val) ?? [];

async function activeAccounts(network: Network): Promise<string[]> {
  const dids: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page: { repos: { did: string; active: boolean }[]; cursor?: string } = await network.read(
      "com.atproto.sync.listRepos",
      { limit: "1000", ...(cursor === "" ? {} : { cursor }) },
    );
    dids.push(...page.repos.filter((repo) => repo.active).map((repo) => repo.did));
    cursor = page.cursor;
  }
  return dids;
}

async function readRecords(
  network: Network,
  repo: string,
  collection: string,
): Promise<ListedRecord[]> {
  const records: ListedRecord[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page: { records: ListedRecord[]; cursor?: string } = await network.read(
      "com.atproto.repo.listRecords",
      { repo, collection, limit: "100", ...(cursor === "" ? {} : { cursor }) },
    );
    records.push(...page.records);
    cursor = page.cursor;
  }
  return records;
}

/** The values of labels that are neither negated nor expired. */
function currentLabelValues(labels: readonly Label[], nowMs: number): Map<string, string[]> {
  const lastLabels = new Map<string, Label>();
  for (const label of labels) {
    if (label.src === labelerDid) lastLabels.set(`${label.uri} ${label.val}`, label);
  }
  const values = new Map<string, string[]>();
  for (const { uri, val, neg, exp } of lastLabels.values()) {
    if (neg || (exp !== undefined && Date.parse(exp) <= nowMs)) continue;
    values.set(uri, [...(values.get(uri) ?? []), val]);
  }
  return values;
}
