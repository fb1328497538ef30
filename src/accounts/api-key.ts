import { tokenFormat } from "./token-format.ts";

export { hashSecret } from "./token-format.ts";

/** Keys have the form `ear_<id>_<secret><checksum>`. */
export const {
  create: newApiKey,
  print: printApiKey,
  parse: parseApiKey,
  parseAuthorization: keyOfAuthorization,
} = tokenFormat("ear");
