import type { Credential, CredentialInUse, Secrets } from "../../src/platforms/credential.ts";

export type StoredCredential = CredentialInUse & { saved: Secrets[]; renewals: () => number };

/** Concurrent callers share a renewal, as in the store. */
export function storedCredential(
  secrets: Secrets,
  overrides: Pick<Credential, "platform"> & Partial<Credential>,
): StoredCredential {
  let current = secrets;
  let renewal: Promise<Secrets> | null = null;
  let renewals = 0;
  const saved: Secrets[] = [];

  async function renew(make: (stored: Secrets) => Promise<Secrets>): Promise<Secrets> {
    renewals += 1;
    current = await make(current);
    saved.push(current);
    return current;
  }

  return {
    credential: {
      id: "credential",
      accountId: null,
      kind: "",
      host: "",
      subject: null,
      subjectName: null,
      hint: "",
      createdMs: 0,
      usedMs: null,
      quarantine: null,
      coolings: [],
      ...overrides,
    },
    saved,
    renewals: () => renewals,
    secrets: () => current,
    renew: async (seen, make) => {
      if (JSON.stringify(seen) !== JSON.stringify(current)) return current;
      renewal ??= renew(make).finally(() => {
        renewal = null;
      });
      return await renewal;
    },
  };
}
