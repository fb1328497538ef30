import type { PlatformDescription } from "../description.ts";
import { xIdentity } from "./identity.ts";
import { support } from "./support.ts";

export const xDescription: PlatformDescription = {
  identity: xIdentity,
  support,
  configuration: {
    user: "earshot credentials add x user-token",
    app: "earshot credentials add x app-token",
  },
  sources: "search X with earshot credentials add x app-token, or add posts with earshot import",
};
