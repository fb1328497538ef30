import { withoutEnding } from "../../query/characters.ts";
import type { ProviderName } from "./provider.ts";
import { githubUrl as publicGitHub, type SignInSettings } from "./settings.ts";

/** What is known of a person at a code host: the number is who they are, the login is what they are called at the moment. */
export type Profile = { subject: string; login: string };

/** A code host as sign-in uses it. What it answers is hostile: both readers give null for what they cannot read. */
export type Provider = {
  name: ProviderName;
  /** Whose numbers they are: those of another host are other people. */
  host: string;
  label: string;
  clientId: string;
  clientSecret: string;
  /** Who it may call itself in an answer (RFC 9207), the usual one first. */
  issuers: readonly [string, ...string[]];
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** The smallest that tell who somebody is, and which organisations they are in. */
  scopes: { profile: string; organizations: string };
  profileUrl: string;
  readProfile(answer: unknown): Profile | null;
  /** Where it says whether somebody is in an organisation. */
  membershipUrl(organization: string): string;
  /** Of an answer with status 200; what has another status is no member. */
  isMember(answer: unknown, organization: string): boolean;
};

/** The providers that are configured, in the order in which they are offered. */
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

/** The addresses that sign-in calls. */
export function calledAddresses({ tokenEndpoint, profileUrl }: Provider): readonly string[] {
  return [tokenEndpoint, profileUrl];
}

function gitHub(address: string, clientId: string, clientSecret: string): Provider {
  const base = withoutSlash(address);
  const api = apiOfGitHub(base);
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
    readProfile: (answer) => profileOf(answer, "login"),
    membershipUrl: (organization) =>
      `${api}/user/memberships/orgs/${encodeURIComponent(organization)}`,
    isMember: (answer) => fieldOf(answer, "state") === "active",
  };
}

/** Of github.com and of GitHub Enterprise Cloud with its own domain the API is a host beside it; of a server, a path. */
function apiOfGitHub(base: string): string {
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
    readProfile: (answer) => profileOf(answer, "username"),
    membershipUrl: () => `${base}/oauth/userinfo`,
    isMember: (answer, organization) => {
      const groups = fieldOf(answer, "groups");
      return (
        Array.isArray(groups) &&
        groups.some((group) => typeof group === "string" && group.toLowerCase() === organization)
      );
    },
  };
}

const withoutSlash = (address: string): string => withoutEnding(address, "/");

const longestLogin = 255;

function profileOf(answer: unknown, loginField: string): Profile | null {
  const id = fieldOf(answer, "id");
  const login = fieldOf(answer, loginField);
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) return null;
  if (typeof login !== "string" || login.length > longestLogin) return null;
  return /^[\w.-]+$/.test(login) ? { subject: String(id), login } : null;
}

function fieldOf(answer: unknown, name: string): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  return Object.entries(answer).find(([key]) => key === name)?.[1];
}
