import type { DatabaseSync } from "node:sqlite";
import { lastId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { NamedPosition } from "../archive.ts";
import { findStoredIds } from "../catalog/other-ids.ts";
import type { PreparedAliasDelete, PreparedChange } from "../prepared.ts";
import type { StoredPost } from "../segments/stored-posts.ts";
import { findPost } from "./find-post.ts";
import { owner } from "./placement.ts";
import type { PreparedChanges } from "./prepare.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * A source may report a deletion by its own name for a post, such as its id on one server. Names
 * are looked up by a keyed 64-bit hash, and listed by ID to compare stored posts with the source.
 */
export type Aliases = {
  put(platform: Platform, alias: { hash: bigint; name: string }, id: bigint): void;
  renumber(platform: Platform, id: bigint, newId: bigint): void;
  find(platform: Platform, hash: bigint): bigint | null;
};

export function aliasesBelow(
  catalog: DatabaseSync,
  isStored: (platform: Platform, id: bigint) => boolean,
) {
  const selectBelow = catalog.prepare(
    `SELECT id, name FROM alias WHERE platform = ? AND name IS NOT NULL AND id < ? ORDER BY id DESC LIMIT ?`,
  );
  selectBelow.setReadBigInts(true);
  return (platform: Platform, below: bigint | null, limit: number): NamedPosition[] =>
    selectBelow
      .all(platform, below ?? lastId, limit)
      .map(({ id, name }) => ({ platform, id: id as bigint, name: String(name) }))
      .map((row) => ({ ...row, isStored: isStored(platform, row.id) }));
}

export function openAliases(catalog: DatabaseSync): Aliases {
  const insertAlias = catalog.prepare(
    `INSERT INTO alias(platform, hash, id, name) VALUES(?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET id = excluded.id, name = excluded.name`,
  );
  const selectId = catalog.prepare("SELECT id FROM alias WHERE platform = ? AND hash = ?");
  selectId.setReadBigInts(true);
  const updateId = catalog.prepare(
    "UPDATE alias SET id = ? WHERE platform = ? AND id = ? AND name IS NOT NULL",
  );
  return {
    renumber: (platform, id, newId) => {
      updateId.run(newId, platform, id);
    },
    put: (platform, { hash, name }, id) => {
      insertAlias.run(platform, hash, id, name);
    },
    find: (platform, hash) => (selectId.get(platform, hash)?.id as bigint | undefined) ?? null,
  };
}

/** Call after the posts are written. */
export function recordAliases(context: WriteContext, changes: readonly PreparedChange[]): void {
  for (const change of changes) {
    if (change.kind !== "upsert" || change.alias === null) continue;
    const { platform, uri, alias } = change;
    const stored = findPost(context, context.writers.entries(platform), platform, uri);
    if (stored !== null) context.aliases.put(platform, alias, stored.id);
  }
}

export function deletesByAlias(
  context: WriteContext,
  { aliasDeletes, changes }: Pick<PreparedChanges, "aliasDeletes" | "changes">,
): PreparedChange[] {
  return aliasDeletes.flatMap((deletion) => {
    const { platform, name, hash, revision } = deletion;
    const incoming = changes.find(
      (change) =>
        change.kind === "upsert" &&
        change.platform === platform &&
        (change.alias?.hash === hash || change.uri === name),
    );
    const uri = incoming?.uri ?? storedUri(context, deletion);
    if (uri === null) return [];
    return [{ kind: "delete", platform, uri, hash: context.hashUri(uri), id: null, revision }];
  });
}

function storedUri(
  context: WriteContext,
  { platform, name, hash }: PreparedAliasDelete,
): string | null {
  const id = context.aliases.find(platform, hash);
  const namedPost = id === null ? null : postWithId(context, platform, id);
  if (namedPost !== null) return namedPost.uri;
  const stored = findPost(context, context.writers.entries(platform), platform, name);
  return stored === null ? null : name;
}

export function postWithId(
  { writers, uriKey }: WriteContext,
  platform: Platform,
  id: bigint,
): (StoredPost & { uri: string }) | null {
  const entries = writers.entries(platform);
  if (entries.length === 0) return null;
  const writer = writers.openWriter(owner(entries, id));
  const storedId = (): bigint | undefined => findStoredIds(writer, uriKey, [id]).get(id);
  return writer.findById(id) ?? writer.findById(storedId() ?? id);
}
