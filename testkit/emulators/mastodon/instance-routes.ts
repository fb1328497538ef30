import { type Answer, answers, ok } from "./answers.ts";
import { pageByOffset } from "./paging.ts";
import type { EmulatedRequest, Route } from "./route.ts";

export const instanceRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v2\/instance$/, answer: second },
  { method: "GET", path: /^\/api\/v1\/instance$/, answer: first },
  { method: "GET", path: /^\/api\/v1\/trends\/tags$/, answer: trendingTags },
  { method: "GET", path: /^\/api\/v1\/apps\/verify_credentials$/, answer: verifyApp },
  { method: "POST", path: /^\/oauth\/token$/, answer: grant },
];

const domainOf = ({ settings, url }: EmulatedRequest): string =>
  settings.domain ?? new URL(url).host;

const streamingOf = ({ settings, url }: EmulatedRequest): string =>
  url.replace(/^http/, settings.differences.streamsAtWss ? "wss" : "ws").replace(/^wsss/, "wss");

function second(requested: EmulatedRequest): Answer {
  const { settings } = requested;
  if (settings.differences.noInstanceV2) return answers.notFound;
  const isMastodon = /^\d+\.\d+\.\d+(?:$|-)/.test(settings.version);
  const access = { local: settings.hashtagFeeds, remote: settings.hashtagFeeds };
  return ok({
    domain: domainOf(requested),
    title: "An emulated server",
    version: settings.version,
    source_url: "https://server.invalid/source",
    description: "",
    usage: { users: { active_month: requested.network.accounts.size } },
    languages: ["en"],
    configuration: {
      urls: { streaming: streamingOf(requested) },
      statuses: { max_characters: 500, max_media_attachments: 4, characters_reserved_per_url: 23 },
      ...(isMastodon
        ? {
            timelines_access: {
              hashtag_feeds: access,
              live_feeds: access,
              trending_link_feeds: access,
            },
          }
        : {}),
    },
    registrations: { enabled: false, approval_required: false, message: null },
    ...(isMastodon ? { api_versions: { mastodon: 7 } } : {}),
    contact: { email: "", account: null },
    rules: [],
  });
}

function first(requested: EmulatedRequest): Answer {
  return ok({
    uri: domainOf(requested),
    title: "An emulated server",
    version: requested.settings.version,
    urls: { streaming_api: streamingOf(requested) },
    stats: {
      user_count: requested.network.accounts.size,
      status_count: requested.network.statuses.size,
    },
  });
}

function trendingTags(requested: EmulatedRequest): Answer {
  if (requested.settings.differences.noTrends) return ok([]);
  const { items, headers } = pageByOffset(requested.network.trends, requested, {
    defaultLimit: 10,
    maxLimit: 20,
  });
  const today = Math.floor(requested.settings.now() / 86_400_000) * 86_400;
  const tags = items.map((name, index) => ({
    id: String(index + 1),
    name,
    url: `${requested.url}/tags/${name}`,
    history: [0, 1, 2].map((day) => ({
      day: String(today - day * 86_400),
      uses: String(usesOf(requested, name)),
      accounts: "1",
    })),
  }));
  return ok(tags, headers);
}

const usesOf = ({ network }: EmulatedRequest, name: string): number =>
  [...network.statuses.values()].filter(({ tags }) => tags.includes(name)).length;

function verifyApp(requested: EmulatedRequest): Answer {
  if (requested.token === null) return answers.invalidToken;
  return ok({ id: "1", name: "An application", website: null, scopes: requested.token.scopes });
}

function grant({ tokens, form, settings }: EmulatedRequest): Answer {
  return tokens.grant(form, settings.differences);
}
