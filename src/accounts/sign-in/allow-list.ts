import type { ProviderName } from "./provider.ts";

/** One entry of EARSHOT_SIGNUP_ALLOW; without a provider it counts with each. Names are in lower case. */
export type AllowedSigner =
  | { kind: "everyone" }
  | { kind: "login" | "organization"; provider: ProviderName | null; name: string };

const form =
  /^(?:(github|gitlab):)?(?:(org):)?([a-z0-9_](?:[a-z0-9_.-]{0,126}[a-z0-9_])?(?:\/[a-z0-9_.-]{1,128}){0,10})$/;

/** The entries of a list with commas; null where one of them cannot be read. `everyone` stands alone. */
export function readAllowList(written: string): readonly AllowedSigner[] | null {
  const entries = written.split(",").map((entry) => entry.trim().toLowerCase());
  if (entries.length === 1 && entries[0] === "everyone") return [{ kind: "everyone" }];
  const signers = entries.map(signerOf);
  return signers.every((signer) => signer !== null) ? signers : null;
}

function signerOf(entry: string): AllowedSigner | null {
  const [, provider, organization, name] = form.exec(entry) ?? [];
  if (name === undefined || entry === "everyone") return null;
  // Only groups of GitLab lie in one another.
  if (name.includes("/") && organization === undefined) return null;
  return {
    kind: organization === undefined ? "login" : "organization",
    provider: provider === "github" || provider === "gitlab" ? provider : null,
    name,
  };
}

/** The organisations whose members may sign in with a provider. */
export function allowedOrganizations(
  allow: readonly AllowedSigner[],
  provider: ProviderName,
): readonly string[] {
  return allow.flatMap((signer) =>
    signer.kind === "organization" && countsWith(signer, provider) ? [signer.name] : [],
  );
}

/** Whether a login alone lets somebody in. */
export function isLoginAllowed(
  allow: readonly AllowedSigner[],
  provider: ProviderName,
  login: string,
): boolean {
  return allow.some(
    (signer) =>
      signer.kind === "everyone" ||
      (signer.kind === "login" &&
        countsWith(signer, provider) &&
        signer.name === login.toLowerCase()),
  );
}

const countsWith = (signer: { provider: ProviderName | null }, provider: ProviderName): boolean =>
  signer.provider === null || signer.provider === provider;
