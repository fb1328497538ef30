import { identityList, url } from "../../lib/settings/network-kinds.ts";
import { count, duration, type SettingsOf, secret, word } from "../../lib/settings/setting.ts";
import { allowList } from "../setting-kinds.ts";

export const githubUrl = "https://github.com";
export const gitlabUrl = "https://gitlab.com";

export const signInSettings = {
  githubUrl: url(
    "EARSHOT_GITHUB_URL",
    githubUrl,
    ["https:", "http:"],
    "URL of the GitHub server to sign in with, such as your GitHub Enterprise Server.",
  ),
  githubClientId: word(
    "EARSHOT_GITHUB_CLIENT_ID",
    "Client id of your OAuth app on GitHub. With its secret, it enables sign-in with GitHub.",
  ),
  githubClientSecret: secret("EARSHOT_GITHUB_CLIENT_SECRET", "Client secret of that app."),
  gitlabUrl: url(
    "EARSHOT_GITLAB_URL",
    gitlabUrl,
    ["https:", "http:"],
    "URL of the GitLab server to sign in with.",
  ),
  gitlabClientId: word(
    "EARSHOT_GITLAB_CLIENT_ID",
    "Id of your application on GitLab. With its secret, it enables sign-in with GitLab.",
  ),
  gitlabClientSecret: secret("EARSHOT_GITLAB_CLIENT_SECRET", "Secret of that application."),
  allow: allowList(
    "EARSHOT_SIGNUP_ALLOW",
    "Who can sign in with a code host, checked at every sign-in (docs/dashboard.md).",
  ),
  operators: identityList(
    "EARSHOT_OPERATORS",
    "Accounts that become operators when they sign in, by numeric user ID, because a login can pass to another user.",
  ),
  linkMs: duration(
    "EARSHOT_SIGN_IN_LINK_TIME",
    900_000,
    1_000,
    "How long a link from `earshot sign-in` is valid.",
  ),
  attemptsPerMinute: count(
    "EARSHOT_SIGN_INS_PER_MINUTE",
    30,
    [1, 1_000_000],
    "Sign-ins that an address can start or finish in any 60 seconds.",
  ),
};

export const signInLimits = {
  /** Maximum time from the start of a sign-in to the user's return. */
  attemptMs: 600_000,
  timeoutMs: 10_000,
  maxResponseBytes: 256 * 1024,
};

export type SignInSettings = SettingsOf<typeof signInSettings> &
  Pick<typeof signInLimits, "attemptMs">;

export const signInDefaults = {
  ...signInLimits,
  linkMs: signInSettings.linkMs.fallback,
  attemptsPerMinute: signInSettings.attemptsPerMinute.fallback,
};
