import { type Call, type CallResponse, requestedFields } from "./call.ts";
import { referencedId } from "./evaluate.ts";
import { checkParameters, numberIn, parameterValues, spaceExpansions } from "./parameters.ts";
import { home, lookUp, timeline } from "./posts.ts";
import { notFound } from "./problems.ts";
import { search } from "./search.ts";
import { showUser } from "./show.ts";
import { singleUser, usersPage } from "./users.ts";

type Endpoint = {
  pattern: RegExp;
  name: string;
  access: readonly ("app" | "user")[];
  scopes: readonly string[];
  /** Maximum number of requests per 15 minutes. */
  limits: { app: number; user: number };
  isPaced?: boolean;
  respond(call: Call): CallResponse;
};

const readScopes = ["tweet.read", "users.read"];

export const endpoints: readonly Endpoint[] = [
  {
    pattern: /^\/2\/tweets\/search\/recent$/,
    name: "GET /2/tweets/search/recent",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 450, user: 300 },
    respond: (call) =>
      search(call, { maxResults: 100, maxCharacters: 512, reachMs: 7 * 86_400_000 }),
  },
  {
    pattern: /^\/2\/tweets\/search\/all$/,
    name: "GET /2/tweets/search/all",
    access: ["app"],
    scopes: readScopes,
    limits: { app: 300, user: 0 },
    isPaced: true,
    respond: (call) => search(call, { maxResults: 500, maxCharacters: 1_024, reachMs: null }),
  },
  {
    pattern: /^\/2\/tweets$/,
    name: "GET /2/tweets",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 3_500, user: 5_000 },
    respond: lookUp,
  },
  {
    pattern: /^\/2\/tweets\/(\d{1,19})\/retweeted_by$/,
    name: "GET /2/tweets/:id/retweeted_by",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 75, user: 75 },
    respond: (call) => {
      const reposters = call.world.posts
        .filter((post) => referencedId(post, "retweeted") === call.id)
        .map(({ authorId }) => authorId);
      return usersPage(call, reposters, [1, 100], 100);
    },
  },
  {
    pattern: /^\/2\/users\/by\/username\/(\w{1,15})$/,
    name: "GET /2/users/by/username/:username",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 300, user: 900 },
    respond: (call) =>
      singleUser(
        call,
        "username",
        ({ username }) => username.toLowerCase() === call.id.toLowerCase(),
      ),
  },
  {
    pattern: /^\/2\/users\/(me)$/,
    name: "GET /2/users/me",
    access: ["user"],
    scopes: readScopes,
    limits: { app: 0, user: 75 },
    respond: (call) => singleUser(call, "id", ({ id }) => id === call.userId),
  },
  {
    pattern: /^\/2\/users\/(\d{1,19})$/,
    name: "GET /2/users/:id",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 300, user: 900 },
    respond: (call) => singleUser(call, "id", ({ id }) => id === call.id),
  },
  {
    pattern: /^\/2\/users\/(\d{1,19})\/tweets$/,
    name: "GET /2/users/:id/tweets",
    access: ["app", "user"],
    scopes: readScopes,
    limits: { app: 10_000, user: 900 },
    respond: (call) => timeline(call, [5, 100], (post) => post.authorId === call.id),
  },
  {
    pattern: /^\/2\/users\/(\d{1,19})\/timelines\/reverse_chronological$/,
    name: "GET /2/users/:id/timelines/reverse_chronological",
    access: ["user"],
    scopes: readScopes,
    limits: { app: 0, user: 180 },
    respond: home,
  },
  {
    pattern: /^\/2\/users\/(\d{1,19})\/followers$/,
    name: "GET /2/users/:id/followers",
    access: ["app", "user"],
    scopes: ["follows.read", ...readScopes],
    limits: { app: 300, user: 300 },
    respond: (call) => {
      const user = call.world.users.find(({ id }) => id === call.id);
      return usersPage(call, user?.followers ?? [], [1, 1_000], 100);
    },
  },
  {
    pattern: /^\/2\/users\/(\d{1,19})\/following$/,
    name: "GET /2/users/:id/following",
    access: ["app", "user"],
    scopes: ["follows.read", ...readScopes],
    limits: { app: 300, user: 300 },
    respond: (call) => {
      const followedUsers = call.world.users.filter(({ followers = [] }) =>
        followers.includes(call.id),
      );
      return usersPage(
        call,
        followedUsers.map(({ id }) => id),
        [1, 1_000],
        100,
      );
    },
  },
  {
    pattern: /^\/2\/trends\/by\/woeid\/(\d{1,10})$/,
    name: "GET /2/trends/by/woeid/:woeid",
    access: ["app", "user"],
    scopes: [],
    limits: { app: 75, user: 75 },
    respond: ({ query, world }) => {
      checkParameters(query, ["max_trends", "trend.fields"], []);
      const max = numberIn(query, "max_trends", [1, 50], 20);
      const data = world.trends.slice(0, max);
      return {
        body: { data: data.map(({ name, count }) => ({ trend_name: name, tweet_count: count })) },
        reads: { requests: 1 },
      };
    },
  },
  {
    pattern: /^\/2\/spaces\/([A-Za-z0-9]{1,13})$/,
    name: "GET /2/spaces/:id",
    access: ["app", "user"],
    scopes: ["space.read", ...readScopes],
    limits: { app: 300, user: 300 },
    respond: (call) => {
      const { id, query, world } = call;
      checkParameters(
        query,
        ["space.fields", "expansions", "user.fields", "topic.fields"],
        spaceExpansions,
      );
      const space = world.spaces.find((other) => other.id === id);
      if (space === undefined)
        return { body: { errors: [notFound("space", "id", id)] }, reads: {} };
      const fields = parameterValues(query, "space.fields", "expansions");
      const spaceFields = Object.entries(space).filter(
        ([name]) => fields.has(name) || ["id", "state"].includes(name),
      );
      const expandedIds = spaceFields.flatMap(([name, ids]) =>
        spaceExpansions.includes(name) && Array.isArray(ids) ? ids : [],
      );
      const users = world.users.filter((user) => expandedIds.includes(user.id));
      const outputFields = requestedFields(call);
      return {
        body: {
          data: Object.fromEntries(spaceFields),
          ...(users.length === 0
            ? {}
            : { includes: { users: users.map((user) => showUser(user, outputFields, world)) } }),
        },
        reads: { posts: 1, users: users.length },
      };
    },
  },
];
