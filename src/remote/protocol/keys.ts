import { makeSigningKey } from "./ed25519.ts";
import { makeSealingPair, type SealingPair } from "./hpke.ts";

export {
  gatewayKeyOf,
  type Identity,
  isSignedBy,
  makeIdentity,
  type SigningKey,
} from "./ed25519.ts";

/** The keys of one run of a node, in its memory alone. Public keys are raw, in base64url. */
export type RunKeys = {
  signingKey: string;
  sealingKey: string;
  sign(message: Uint8Array): Uint8Array;
  /** Null for what was not sealed to this key (hpke.ts). */
  open: SealingPair["open"];
};

/** Fresh keys: Ed25519 to sign with, X25519 that jobs are sealed to. */
export async function makeRunKeys(): Promise<RunKeys> {
  const signing = makeSigningKey();
  const sealing = await makeSealingPair();
  return {
    signingKey: signing.publicKey,
    sealingKey: sealing.publicKey,
    sign: signing.sign,
    open: sealing.open,
  };
}
