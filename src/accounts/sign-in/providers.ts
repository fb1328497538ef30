import { withoutEnding } from "@earshot/query/tree";
import type { ProviderName } from "./provider.ts";
import { githubUrl as publicGitHub, type SignInSettings } from "./settings.ts";

/** `subject` is the permanent numeric ID; the `login` can change. */
export type ProviderProfile = { subject: string; login: string };

/** Responses are untrusted: for malformed ones, readers return null or false. */
export type Provider = {
  name: ProviderName;
  /** User IDs are unique per host. */
  host: string;
  label: string;
  clientId: string;
  clientSecret: string;
  /** RFC 9207 issuers, the default first. */
  issuers: readonly [string, ...string[]];
  authorizationEndpoint: string;
  tokenEndpoint: string;
  scopes: { profile: string; organizations: string };
  profileUrl: string;
  readProfile(body: unknown): ProviderProfile | null;
  membershipUrl(organization: string): string;
  /** `body`: the body of a response with status 200. */
  isMember(body: unknown, organization: string): boolean;
};

export function configuredProviders(settings: SignInSettings): readonly Provider[] {
  const { githubClientId, githubClientSecret, gitlabClientId, gitlabClientSecret } = settings;
  return [
    ...(githubClientId === null || githubClientSecret === null
      ? []
      : [gitHub(settings.githubUrl, githubClientId, githubClientSecret)]),
    ...(gitlabClientId === null || gitlabClientSecret === null
      ? []
      : [gitLab(settings.gitlabUrl, gitlabClientId, gitlabClientSecret)]),
  ];
}

export function requestedUrls({ tokenEndpoint, profileUrl }: Provider): readonly string[] {
  return [tokenEndpoint, profileUrl];
}

function gitHub(address: string, clientId: string, clientSecret: string): Provider {
  const base = withoutSlash(address);
  const api = gitHubApiUrl(base);
  return {
    name: "github",
    host: new URL(base).host,
    label: "GitHub",
    clientId,
    clientSecret,
    issuers: [`${base}/login/oauth`, base],
    authorizationEndpoint: `${base}/login/oauth/authorize`,
    tokenEndpoint: `${base}/login/oauth/access_token`,
    scopes: { profile: "read:user", organizations: "read:user read:org" },
    profileUrl: `${api}/user`,
    readProfile: (body) => readProfile(body, "login"),
    membershipUrl: (organization) =>
      `${api}/user/memberships/orgs/${encodeURIComponent(organization)}`,
    isMember: (body) => readField(body, "state") === "active",
  };
}

/** A GitHub Enterprise Server has its API under a path; github.com and ghe.com have a separate host. */
function gitHubApiUrl(base: string): string {
  const { protocol, host } = new URL(base);
  const isCloud = base === publicGitHub || host.endsWith(".ghe.com");
  return isCloud ? `${protocol}//api.${host}` : `${base}/api/v3`;
}

function gitLab(address: string, clientId: string, clientSecret: string): Provider {
  const base = withoutSlash(address);
  return {
    name: "gitlab",
    host: new URL(base).host,
    label: "GitLab",
    clientId,
    clientSecret,
    issuers: [base],
    authorizationEndpoint: `${base}/oauth/authorize`,
    tokenEndpoint: `${base}/oauth/token`,
    scopes: { profile: "read_user", organizations: "read_user openid" },
    profileUrl: `${base}/api/v4/user`,
    readProfile: (body) => readProfile(body, "username"),
    membershipUrl: () => `${base}/oauth/userinfo`,
    isMember: (body, organization) => {
      const groups = readField(body, "groups");
      return (
        Array.isArray(groups) &&
        groups.some((group) => typeof group === "string" && group.toLowerCase() === organization)
      );
    },
  };
}

const withoutSlash = (address: string): string => withoutEnding(address, "/");

const maxLoginLength = 255;

function readProfile(body: unknown, loginField: string): ProviderProfile | null {
  const id = readField(body, "id");
  const login = readField(body, loginField);
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return null;
  if (typeof login !== "string" || login.length > maxLoginLength) return null;
  return /^[\w.-]+$/.test(login) ? { subject: String(id), login } : null;
}

function readField(body: unknown, name: string): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  return Object.entries(body).find(([key]) => key === name)?.[1];
}
