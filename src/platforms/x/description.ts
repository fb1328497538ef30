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
  sources: "earshot credentials add x app-token lets searches query X, earshot import adds posts",
};
