import { certificatesOf, platformOf } from "./certificates.ts";
import { readQuote } from "./quote-reader.ts";
import { refused } from "./refusal.ts";

/** What collateral is issued for: a kind of machine, and the authority that issued its certificate. */
export type CollateralKey = {
  tee: "tdx" | "sgx";
  /** 12 hexadecimal digits in lower case. */
  fmspc: string;
  authority: "platform" | "processor";
};

/** Which collateral verifies a quote, going by the certificate in it. Errors: `quote_refused`. */
export function collateralKeyOf(quote: Uint8Array): CollateralKey {
  const { tee, chain } = readQuote(quote);
  const [leaf] = certificatesOf(chain, "PCK chain");
  const platform = leaf === undefined ? null : platformOf(leaf);
  if (leaf === undefined || platform === null) {
    throw refused(
      "chain_malformed",
      "the first certificate of the PCK chain is not that of a machine",
    );
  }
  const authority = /^CN=.*PCK Processor CA/m.test(leaf.issuer) ? "processor" : "platform";
  return { tee, fmspc: platform.fmspc, authority };
}

/** The name of the collateral's file in a folder. */
export const collateralFileName = ({ tee, fmspc, authority }: CollateralKey): string =>
  `${tee}-${fmspc}-${authority}.json`;
