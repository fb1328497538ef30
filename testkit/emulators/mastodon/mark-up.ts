import type { Account } from "./network.ts";

const entityPattern =
  /(https?:\/\/[^\s<]+)|#([\p{L}\p{N}_]+)|@([A-Za-z0-9_]+(?:@[A-Za-z0-9.:-]+[A-Za-z0-9])?)/gu;

export function markUp(
  text: string,
  accounts: readonly Account[],
): { content: string; tags: string[]; mentionIds: string[] } {
  const tags = new Set<string>();
  const mentionIds = new Set<string>();
  const html = escapeHtml(text).replace(entityPattern, (match, url, tag, name) => {
    if (url !== undefined) return link(url);
    if (tag !== undefined) {
      tags.add(tag);
      return `<a href="https://server.invalid/tags/${tag}" class="mention hashtag" rel="tag">#<span>${tag}</span></a>`;
    }
    const account = accounts.find(
      (other) => accountAcct(other) === name || other.username === name,
    );
    if (account === undefined) return match;
    mentionIds.add(account.id);
    return `<span class="h-card" translate="no"><a href="${profileUrl(account)}" class="u-url mention">@<span>${account.username}</span></a></span>`;
  });
  const paragraphs = html
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll("\n", "<br />")}</p>`);
  return {
    content: text === "" ? "" : paragraphs.join(""),
    tags: [...tags],
    mentionIds: [...mentionIds],
  };
}

export const accountAcct = ({ username, domain }: Account): string =>
  domain === null ? username : `${username}@${domain}`;

const profileUrl = ({ username, domain }: Account): string =>
  `https://${domain ?? "server.invalid"}/@${username}`;

function link(url: string): string {
  const [, scheme = "", rest = ""] = /^(https?:\/\/(?:www\.)?)(.*)$/.exec(url) ?? [];
  const visibleText = rest.slice(0, 30);
  const className = rest.length > 30 ? "ellipsis" : "";
  return (
    `<a href="${url}" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">${scheme}</span>` +
    `<span class="${className}">${visibleText}</span><span class="invisible">${rest.slice(30)}</span></a>`
  );
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
