import { EventEmitter } from "node:events";
import { makeIds } from "./ids.ts";
import { markUp } from "./mark-up.ts";

export type Account = {
  id: string;
  username: string;
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
  /** If false, the account is found only by resolving it. */
  isKnown: boolean;
};

type Visibility = "public" | "unlisted" | "private" | "direct";
type Attachment = { type: string; url: string; description: string | null };

export type Status = {
  id: string;
  accountId: string;
  createdMs: number;
  editedMs: number | null;
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
  uri: string | null;
  favourites: number;
  isKnown: boolean;
};

export type NetworkEvents = {
  update: [status: Status];
  "status.update": [status: Status];
  delete: [id: string, status: Status];
};

export type Network = ReturnType<typeof createNetwork>;

export function createNetwork(settings: { hasUlids: () => boolean; now: () => number }) {
  const ids = makeIds(settings.hasUlids);
  const accounts = new Map<string, Account>();
  const statuses = new Map<string, Status>();
  /** Newest last. */
  const follows: { id: string; followerId: string; followedId: string }[] = [];
  const trends: string[] = [];
  const events = new EventEmitter<NetworkEvents>();

  function addAccount(values: Partial<Account> & { username: string }): Account {
    const createdMs = values.createdMs ?? settings.now() - 86_400_000;
    const account: Account = {
      id: ids.next(createdMs),
      domain: null,
      displayName: values.username,
      note: "",
      createdMs,
      locked: false,
      bot: false,
      indexable: true,
      noindex: false,
      suspended: false,
      hidesCollections: false,
      isKnown: true,
      ...values,
    };
    accounts.set(account.id, account);
    return account;
  }

  function addStatus(values: Partial<Status> & { accountId: string }): Status {
    const createdMs = values.createdMs ?? settings.now();
    const text = values.text ?? "";
    const markup = markUp(text, [...accounts.values()]);
    const status: Status = {
      id: ids.next(createdMs),
      createdMs,
      editedMs: null,
      text,
      content: markup.content,
      spoilerText: "",
      visibility: "public",
      language: "en",
      sensitive: false,
      inReplyToId: null,
      reblogOfId: null,
      quoteOfId: null,
      media: [],
      tags: markup.tags,
      mentionIds: markup.mentionIds,
      pollOptions: null,
      cardUrl: null,
      uri: null,
      favourites: 0,
      isKnown: true,
      ...values,
    };
    statuses.set(status.id, status);
    events.emit("update", status);
    return status;
  }

  function editStatus(id: string, change: Partial<Status>): Status {
    const status = statuses.get(id);
    if (status === undefined) throw new Error(`no status ${id}`);
    const markup = change.text === undefined ? {} : markUp(change.text, [...accounts.values()]);
    Object.assign(status, { editedMs: settings.now() }, markup, change);
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
    trends,
    events,
    addAccount,
    addStatus,
    reblog: (accountId: string, reblogOfId: string, values: Partial<Status> = {}): Status =>
      addStatus({ accountId, reblogOfId, ...values }),
    editStatus,
    deleteStatus,
    follow,
  };
}
