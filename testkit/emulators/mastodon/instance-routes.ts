import { pageByOffset } from "./paging.ts";
import { type EmulatedResponse, ok, responses } from "./responses.ts";
import type { EmulatedRequest, Route } from "./route.ts";

export const instanceRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v2\/instance$/, respond: instanceV2 },
  { method: "GET", path: /^\/api\/v1\/instance$/, respond: instanceV1 },
  { method: "GET", path: /^\/api\/v1\/trends\/tags$/, respond: trendingTags },
  { method: "GET", path: /^\/api\/v1\/apps\/verify_credentials$/, respond: verifyApp },
  { method: "POST", path: /^\/oauth\/token$/, respond: grant },
];

const getDomain = ({ settings, url }: EmulatedRequest): string =>
  settings.domain ?? new URL(url).host;

const streamingUrl = ({ settings, url }: EmulatedRequest): string =>
  url.replace(/^http/, settings.differences.streamsAtWss ? "wss" : "ws").replace(/^wsss/, "wss");

function instanceV2(request: EmulatedRequest): EmulatedResponse {
  const { settings } = request;
  if (settings.differences.noInstanceV2) return responses.notFound;
  const isMastodon = /^\d+\.\d+\.\d+(?:$|-)/.test(settings.version);
  const access = { local: settings.hashtagFeeds, remote: settings.hashtagFeeds };
  return ok({
    domain: getDomain(request),
    title: "An emulated server",
    version: settings.version,
    source_url: "https://server.invalid/source",
    description: "",
    usage: { users: { active_month: request.network.accounts.size } },
    languages: ["en"],
    configuration: {
      urls: { streaming: streamingUrl(request) },
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

function instanceV1(request: EmulatedRequest): EmulatedResponse {
  return ok({
    uri: getDomain(request),
    title: "An emulated server",
    version: request.settings.version,
    urls: { streaming_api: streamingUrl(request) },
    stats: {
      user_count: request.network.accounts.size,
      status_count: request.network.statuses.size,
    },
  });
}

function trendingTags(request: EmulatedRequest): EmulatedResponse {
  if (request.settings.differences.noTrends) return ok([]);
  const { items, headers } = pageByOffset(request.network.trends, request, {
    defaultLimit: 10,
    maxLimit: 20,
  });
  const today = Math.floor(request.settings.now() / 86_400_000) * 86_400;
  const tags = items.map((name, index) => ({
    id: String(index + 1),
    name,
    url: `${request.url}/tags/${name}`,
    history: [0, 1, 2].map((day) => ({
      day: String(today - day * 86_400),
      uses: String(countUses(request, name)),
      accounts: "1",
    })),
  }));
  return ok(tags, headers);
}

const countUses = ({ network }: EmulatedRequest, name: string): number =>
  [...network.statuses.values()].filter(({ tags }) => tags.includes(name)).length;

function verifyApp(request: EmulatedRequest): EmulatedResponse {
  if (request.token === null) return responses.invalidToken;
  return ok({ id: "1", name: "An application", website: null, scopes: request.token.scopes });
}

function grant({ tokens, form, settings }: EmulatedRequest): EmulatedResponse {
  return tokens.grant(form, settings.differences);
}
