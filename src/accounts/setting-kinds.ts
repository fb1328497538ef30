import { matching, orNone, type Setting, setting } from "../lib/settings/setting.ts";
import { parseApiKey } from "./api-key.ts";
import { type AllowedSigner, readAllowList } from "./sign-in/allow-list.ts";

export function apiKey(name: string, meaning: string): Setting<string | null> {
  const kind = matching("a complete key, as printed by `earshot keys create`", /^\S+$/);
  const key = {
    ...kind,
    parse: (text: string) => (parseApiKey(text) === null ? undefined : text),
  };
  return { ...setting(name, orNone(key, null), null, meaning), isSecret: true };
}

export function allowList(name: string, description: string): Setting<readonly AllowedSigner[]> {
  return {
    name,
    fallback: [{ kind: "everyone" }],
    defaultText: "everyone",
    expected:
      "everyone, or logins such as ann or github:ann and organisations such as org:acme or gitlab:org:acme, separated by commas",
    description,
    parse: (text) => readAllowList(text) ?? undefined,
  };
}
