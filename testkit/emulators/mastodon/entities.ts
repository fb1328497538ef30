import { accountAcct } from "./mark-up.ts";
import type { Account, Network, Status } from "./network.ts";
import type { EmulatorSettings } from "./options.ts";

type World = { network: Network; settings: EmulatorSettings; url: string };

export function accountJson(account: Account, { network, settings, url }: World) {
  const { username, domain } = account;
  const statuses = [...network.statuses.values()];
  const home = domain === null ? url : `https://${domain}`;
  if (account.suspended) {
    return { ...bareAccount(account, home), suspended: true, note: "", display_name: "" };
  }
  const { indexable, noindex } = account;
  return {
    ...bareAccount(account, home),
    display_name: account.displayName,
    note: account.note === "" ? "" : `<p>${account.note}</p>`,
    locked: account.locked,
    bot: account.bot,
    discoverable: true,
    group: false,
    ...(settings.differences.noIndexable ? {} : { indexable, ...(noindex ? { noindex } : {}) }),
    hide_collections: account.hidesCollections,
    created_at: `${new Date(account.createdMs).toISOString().slice(0, 10)}T00:00:00.000Z`,
    avatar: `${home}/avatars/${username}.png`,
    avatar_static: `${home}/avatars/${username}.png`,
    header: `${home}/headers/original/missing.png`,
    header_static: `${home}/headers/original/missing.png`,
    followers_count: network.follows.filter(({ followedId }) => followedId === account.id).length,
    following_count: network.follows.filter(({ followerId }) => followerId === account.id).length,
    statuses_count: statuses.filter(({ accountId }) => accountId === account.id).length,
    last_status_at: null,
    emojis: [],
    fields: [],
  };
}

const bareAccount = (account: Account, home: string) => ({
  id: account.id,
  username: account.username,
  acct: accountAcct(account),
  url: `${home}/@${account.username}`,
  uri: `${home}/users/${account.username}`,
});

export function statusJson(status: Status, world: World): Record<string, unknown> | null {
  const { network, url } = world;
  const author = network.accounts.get(status.accountId);
  if (author === undefined) return null;
  const statuses = [...network.statuses.values()];
  const reblog = status.reblogOfId === null ? null : network.statuses.get(status.reblogOfId);
  const parent = status.inReplyToId === null ? null : network.statuses.get(status.inReplyToId);
  return {
    id: status.id,
    created_at: new Date(status.createdMs).toISOString(),
    edited_at: status.editedMs === null ? null : new Date(status.editedMs).toISOString(),
    in_reply_to_id: parent?.id ?? null,
    in_reply_to_account_id: parent?.accountId ?? null,
    sensitive: status.sensitive,
    spoiler_text: status.spoilerText,
    visibility: status.visibility,
    language: status.language,
    uri: statusUri(status, author, url),
    url: statusUrl(status, author, url),
    replies_count: statuses.filter(({ inReplyToId }) => inReplyToId === status.id).length,
    reblogs_count: statuses.filter(({ reblogOfId }) => reblogOfId === status.id).length,
    favourites_count: status.favourites,
    quotes_count: statuses.filter(({ quoteOfId }) => quoteOfId === status.id).length,
    content: status.content,
    reblog: reblog == null ? null : statusJson(reblog, world),
    ...(author.domain === null ? { application: { name: "Web", website: null } } : {}),
    account: accountJson(author, world),
    media_attachments: status.media.map((attachment, index) => ({
      id: `${status.id}${index}`,
      type: attachment.type,
      url: attachment.url,
      preview_url: attachment.url,
      remote_url: null,
      description: attachment.description,
      blurhash: null,
      meta: {},
    })),
    mentions: status.mentionIds.flatMap((id) => mentionJson(network.accounts.get(id), url)),
    tags: status.tags.map((name) => ({ name: name.toLowerCase(), url: `${url}/tags/${name}` })),
    emojis: [],
    card: status.cardUrl === null ? null : { url: status.cardUrl, title: "", type: "link" },
    poll: pollJson(status),
    quote: quoteJson(status, world),
  };
}

const statusUri = (status: Status, { username }: Account, url: string): string =>
  status.uri ??
  `${url}/users/${username}/statuses/${status.id}${status.reblogOfId === null ? "" : "/activity"}`;

const statusUrl = (status: Status, { username, domain }: Account, url: string): string =>
  domain === null
    ? `${url}/@${username}/${status.id}`
    : (status.uri ?? `https://${domain}/${status.id}`);

function mentionJson(account: Account | undefined, url: string) {
  if (account === undefined) return [];
  const { id, username, domain } = account;
  const home = domain === null ? url : `https://${domain}`;
  return [{ id, username, acct: accountAcct(account), url: `${home}/@${username}` }];
}

const pollJson = ({ id, pollOptions }: Status) =>
  pollOptions && {
    id: `9${id}`,
    expired: false,
    multiple: false,
    votes_count: 0,
    options: pollOptions.map((title) => ({ title, votes_count: 0 })),
    emojis: [],
  };

function quoteJson({ quoteOfId }: Status, world: World) {
  const quoted = quoteOfId === null ? undefined : world.network.statuses.get(quoteOfId);
  if (quoteOfId === null) return null;
  if (quoted === undefined) return { state: "deleted", quoted_status: null };
  return { state: "accepted", quoted_status: statusJson({ ...quoted, quoteOfId: null }, world) };
}
