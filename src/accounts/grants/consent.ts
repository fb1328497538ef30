import type { Encryptor } from "../../lib/encryption.ts";
import { type Method, methodNames } from "../../platforms/methods.ts";

export type Consent = {
  clientId: string;
  clientName: string;
  redirectUri: string;
  state: string | null;
  resource: string;
  codeChallenge: string;
  methods: readonly Method[];
  expiresMs: number;
};

type Owner = { accountId: string; sessionId: string };

/** Returns a ticket that the browser stores. No other session can use it. */
export function encryptConsent(encryptor: Encryptor, consent: Consent, owner: Owner): string {
  return Buffer.from(encryptor.encrypt(JSON.stringify(consent), secretOwner(owner))).toString(
    "base64url",
  );
}

/** Null if the ticket has expired or belongs to another session. */
export function decryptConsent(
  encryptor: Encryptor,
  ticket: string,
  { nowMs, ...owner }: Owner & { nowMs: number },
): Consent | null {
  try {
    const text = encryptor.decrypt(Buffer.from(ticket, "base64url"), secretOwner(owner));
    const consent: Consent = JSON.parse(text);
    return consent.expiresMs > nowMs ? consent : null;
  } catch {
    return null;
  }
}

const secretOwner = ({ accountId, sessionId }: Owner) => ({
  purpose: "consent",
  accountId,
  id: sessionId,
});

export function grantedMethods(
  consent: Consent,
  chosenMethods: readonly string[],
): readonly Method[] {
  return methodNames.filter(
    (method) => consent.methods.includes(method) && chosenMethods.includes(method),
  );
}
