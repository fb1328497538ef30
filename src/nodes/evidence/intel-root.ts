import { createHash } from "node:crypto";
import { EarshotError } from "../../lib/errors.ts";
import { loadVerifier } from "./quote-verifier.ts";

/** SHA-256 of the certificate "Intel SGX Root CA", in DER. */
const fingerprint = "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3";

/** Intel's root certificate in DER, which all quotes of real machines lead to. */
export async function intelRoot(): Promise<Uint8Array> {
  const { constants } = await loadVerifier();
  const root = constants.TRUSTED_ROOT_CA_DER;
  if (createHash("sha256").update(root).digest("hex") === fingerprint) return root;
  throw new EarshotError(
    "quote_verifier_damaged",
    "the quote verifier brings another root than Intel's",
    {
      hint: "install the packages of Earshot again, from its own lock file",
    },
  );
}
