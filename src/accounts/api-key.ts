import { tokenForm } from "./token-form.ts";

export { hashSecret } from "./token-form.ts";

/** `ear_<id>_<secret><checksum>`. */
export const {
  create: newApiKey,
  print: printApiKey,
  parse: parseApiKey,
  ofAuthorization: keyOfAuthorization,
} = tokenForm("ear");
