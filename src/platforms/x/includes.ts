import { asFields, list } from "../fields.ts";
import { readIdText } from "./json.ts";

export type Includes = {
  users: ReadonlyMap<string, Record<string, unknown>>;
  media: ReadonlyMap<string, Record<string, unknown>>;
  posts: ReadonlyMap<string, Record<string, unknown>>;
};

const maxIncluded = 4_000;

export const noIncludes: Includes = { users: new Map(), media: new Map(), posts: new Map() };

export function readIncludes(value: unknown): Includes {
  const { users, media, posts, tweets } = asFields(value);
  return {
    users: byKey(users, ({ id }) => readIdText(id)),
    media: byKey(media, ({ media_key: key }) => (typeof key === "string" ? key : null)),
    posts: byKey(posts ?? tweets, ({ id }) => readIdText(id)),
  };
}

function byKey(
  value: unknown,
  getKey: (item: Record<string, unknown>) => string | null,
): Map<string, Record<string, unknown>> {
  const byId = new Map<string, Record<string, unknown>>();
  for (const item of list(value, maxIncluded)) {
    const fields = asFields(item);
    const key = getKey(fields);
    if (key !== null) byId.set(key, fields);
  }
  return byId;
}
