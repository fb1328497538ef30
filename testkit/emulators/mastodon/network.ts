import { EventEmitter } from "node:events";
import { makeIds } from "./ids.ts";
import { markUp } from "./mark-up.ts";

export type Account = {
  id: string;
  username: string;
  /** The server it is on; null for the emulator's own. */
  domain: string | null;
  displayName: string;
  note: string;
  createdMs: number;
  locked: boolean;
  bot: boolean;
  indexable: boolean;
  noindex: boolean;
  suspended: boolean;
  hidesCollections: boolean;
  /** Whether the server knows it; others are found when they are resolved. */
  isKnown: boolean;
};

type Visibility = "public" | "unlisted" | "private" | "direct";
type Attachment = { type: string; url: string; description: string | null };

export type Status = {
  id: string;
  accountId: string;
  createdMs: number;
  editedMs: number | null;
  /** As it was typed; `content` is the HTML of it. */
  text: string;
  content: string;
  spoilerText: string;
  visibility: Visibility;
  language: string | null;
  sensitive: boolean;
  inReplyToId: string | null;
  reblogOfId: string | null;
  quoteOfId: string | null;
  media: Attachment[];
  tags: string[];
  mentionIds: string[];
  pollOptions: string[] | null;
  cardUrl: string | null;
  /** On another server, where it is from one. */
  uri: string | null;
  favourites: number;
  isKnown: boolean;
};

/** Events of statuses for streams: `update`, `status.update` with the status, `delete` with its id. */
export type NetworkEvents = {
  update: [status: Status];
  "status.update": [status: Status];
  delete: [id: string, status: Status];
};

export type Network = ReturnType<typeof createNetwork>;

/** The accounts, statuses and follows of an emulated server, and what can be done to them. */
export function createNetwork(settings: { hasUlids: () => boolean; now: () => number }) {
  const ids = makeIds(settings.hasUlids);
  const accounts = new Map<string, Account>();
  const statuses = new Map<string, Status>();
  /** Newest last; `id` is known to the server alone. */
  const follows: { id: string; followerId: string; followedId: string }[] = [];
  const trends: string[] = [];
  const events = new EventEmitter<NetworkEvents>();

  function addAccount(given: Partial<Account> & { username: string }): Account {
    const createdMs = given.createdMs ?? settings.now() - 86_400_000;
    const account: Account = {
      id: ids.next(createdMs),
      domain: null,
      displayName: given.username,
      note: "",
      createdMs,
      locked: false,
      bot: false,
      indexable: true,
      noindex: false,
      suspended: false,
      hidesCollections: false,
      isKnown: true,
      ...given,
    };
    accounts.set(account.id, account);
    return account;
  }

  function addStatus(given: Partial<Status> & { accountId: string }): Status {
    const createdMs = given.createdMs ?? settings.now();
    const text = given.text ?? "";
    const marked = markUp(text, [...accounts.values()]);
    const status: Status = {
      id: ids.next(createdMs),
      createdMs,
      editedMs: null,
      text,
      content: marked.content,
      spoilerText: "",
      visibility: "public",
      language: "en",
      sensitive: false,
      inReplyToId: null,
      reblogOfId: null,
      quoteOfId: null,
      media: [],
      tags: marked.tags,
      mentionIds: marked.mentionIds,
      pollOptions: null,
      cardUrl: null,
      uri: null,
      favourites: 0,
      isKnown: true,
      ...given,
    };
    statuses.set(status.id, status);
    events.emit("update", status);
    return status;
  }

  function editStatus(id: string, change: Partial<Status>): Status {
    const status = statuses.get(id);
    if (status === undefined) throw new Error(`no status ${id}`);
    const marked = change.text === undefined ? {} : markUp(change.text, [...accounts.values()]);
    Object.assign(status, { editedMs: settings.now() }, marked, change);
    events.emit("status.update", status);
    return status;
  }

  function deleteStatus(id: string): void {
    const status = statuses.get(id);
    if (status === undefined) throw new Error(`no status ${id}`);
    statuses.delete(id);
    events.emit("delete", id, status);
  }

  function follow(followerId: string, followedId: string): void {
    follows.push({ id: ids.next(settings.now()), followerId, followedId });
  }

  return {
    accounts,
    statuses,
    follows,
    /** Tags that the server's operators have let trend, the first one first. */
    trends,
    events,
    addAccount,
    addStatus,
    /** A boost. */
    reblog: (accountId: string, reblogOfId: string, given: Partial<Status> = {}): Status =>
      addStatus({ accountId, reblogOfId, ...given }),
    editStatus,
    deleteStatus,
    follow,
  };
}
