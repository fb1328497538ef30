import type { Space } from "../../posts/profile.ts";
import { fieldsOf, list } from "../fields.ts";
import { filled, readCount, readIdText } from "./json.ts";

export const isXSpaceId = (text: string): boolean => /^[A-Za-z0-9]{1,13}$/.test(text);

export function readSpace(value: unknown): Space | null {
  const fields = fieldsOf(value);
  if (typeof fields.id !== "string" || !isXSpaceId(fields.id)) return null;
  return {
    platform: "x",
    id: fields.id,
    title: filled(fields.title, 1_000),
    state: filled(fields.state, 40),
    url: `https://x.com/i/spaces/${fields.id}`,
    hostIds: numbersIn(fields.host_ids),
    speakerIds: numbersIn(fields.speaker_ids),
    participants: readCount(fields.participant_count),
    lang: filled(fields.lang, 35),
    createdAt: filled(fields.created_at, 40),
    scheduledAt: filled(fields.scheduled_start, 40),
    startedAt: filled(fields.started_at, 40),
    endedAt: filled(fields.ended_at, 40),
  };
}

const numbersIn = (value: unknown): string[] =>
  list(value, 1_000)
    .map(readIdText)
    .filter((id) => id !== null);
