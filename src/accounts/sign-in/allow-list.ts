import type { ProviderName } from "./provider.ts";

/** A null `provider` matches all providers. */
export type AllowedSigner =
  | { kind: "everyone" }
  | { kind: "login" | "organization"; provider: ProviderName | null; name: string };

const entryForm =
  /^(?:(github|gitlab):)?(?:(org):)?([a-z0-9_](?:[a-z0-9_.-]{0,126}[a-z0-9_])?(?:\/[a-z0-9_.-]{1,128}){0,10})$/;

/** Null if the text is malformed. `everyone` must be the only entry. */
export function readAllowList(text: string): readonly AllowedSigner[] | null {
  const entries = text.split(",").map((entry) => entry.trim().toLowerCase());
  if (entries.length === 1 && entries[0] === "everyone") return [{ kind: "everyone" }];
  const signers = entries.map(entrySigner);
  return signers.every((signer) => signer !== null) ? signers : null;
}

function entrySigner(entry: string): AllowedSigner | null {
  const [, provider, organization, name] = entryForm.exec(entry) ?? [];
  if (name === undefined || entry === "everyone") return null;
  // Only GitLab groups are nested.
  if (name.includes("/") && organization === undefined) return null;
  return {
    kind: organization === undefined ? "login" : "organization",
    provider: provider === "github" || provider === "gitlab" ? provider : null,
    name,
  };
}

export function allowedOrganizations(
  allow: readonly AllowedSigner[],
  provider: ProviderName,
): readonly string[] {
  return allow.flatMap((signer) =>
    signer.kind === "organization" && appliesTo(signer, provider) ? [signer.name] : [],
  );
}

export function isLoginAllowed(
  allow: readonly AllowedSigner[],
  provider: ProviderName,
  login: string,
): boolean {
  return allow.some(
    (signer) =>
      signer.kind === "everyone" ||
      (signer.kind === "login" &&
        appliesTo(signer, provider) &&
        signer.name === login.toLowerCase()),
  );
}

const appliesTo = (signer: { provider: ProviderName | null }, provider: ProviderName): boolean =>
  signer.provider === null || signer.provider === provider;
