import type { Space } from "../../posts/profile.ts";
import { asFields, list } from "../fields.ts";
import { nonEmptyText, readCount, readIdText } from "./json.ts";

export const isXSpaceId = (text: string): boolean => /^[A-Za-z0-9]{1,13}$/.test(text);

export function readSpace(value: unknown): Space | null {
  const fields = asFields(value);
  if (typeof fields.id !== "string" || !isXSpaceId(fields.id)) return null;
  return {
    platform: "x",
    id: fields.id,
    title: nonEmptyText(fields.title, 1_000),
    state: nonEmptyText(fields.state, 40),
    url: `https://x.com/i/spaces/${fields.id}`,
    hostIds: idsIn(fields.host_ids),
    speakerIds: idsIn(fields.speaker_ids),
    participants: readCount(fields.participant_count),
    lang: nonEmptyText(fields.lang, 35),
    createdAt: nonEmptyText(fields.created_at, 40),
    scheduledAt: nonEmptyText(fields.scheduled_start, 40),
    startedAt: nonEmptyText(fields.started_at, 40),
    endedAt: nonEmptyText(fields.ended_at, 40),
  };
}

const idsIn = (value: unknown): string[] =>
  list(value, 1_000)
    .map(readIdText)
    .filter((id) => id !== null);
