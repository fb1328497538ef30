import { emoji, words } from "../data/vocabulary.ts";
import type { Draw } from "./draw.ts";
import type { Person, Post } from "./people.ts";

const dayMs = 86_400_000;

/** Draws posts with every feature that a parser could mishandle. */
export function drawPost(
  draw: Draw,
  context: { parent: Post | null; quoted: Post | null; mention: Person | null },
): Record<string, unknown> {
  const { parent, quoted, mention } = context;
  const parts: string[] = [];
  for (let remaining = draw.below(14); remaining > 0 && parts.join(" ").length < 120; remaining--) {
    parts.push(draw.pick(words));
  }
  if (draw.chance(0.2)) parts.push(draw.pick(emoji));
  if (draw.chance(0.15)) parts.push(`#tag${draw.below(20)}`);
  if (draw.chance(0.1))
    parts.push(`https://example.com/page/${draw.below(50)}?of=${draw.below(9)}`);
  const text = `${mention === null ? "" : `@${mention.handle} `}${parts.join(draw.chance(0.1) ? "\n" : " ")}`;
  return {
    $type: "app.bsky.feed.post",
    text,
    createdAt: drawTime(draw),
    ...(draw.chance(0.7) ? { langs: draw.pick([["en"], ["de", "en"], ["pt-BR"], ["ja"]]) } : {}),
    ...(parent === null ? {} : { reply: replyTo(parent) }),
    ...(quoted === null ? {} : { embed: quoteEmbed(quoted) }),
    ...(mention === null ? {} : { facets: [mentionFacet(mention)] }),
    ...(draw.chance(0.05)
      ? { labels: selfLabels(draw.pick([["porn"], ["spoiler", "nudity"]])) }
      : {}),
  };
}

export function editRecord(draw: Draw, record: Record<string, unknown>): Record<string, unknown> {
  const { facets: _facets, ...rest } = record;
  return { ...rest, text: `edited ${draw.below(1_000)} ${draw.pick(words)} ${draw.pick(words)}` };
}

export const selfLabels = (values: readonly string[]): object => ({
  $type: "com.atproto.label.defs#selfLabels",
  values: values.map((val) => ({ val })),
});

/** Some posts claim to be years old or from tomorrow. */
function drawTime(draw: Draw): string {
  const nowMs = Date.now();
  if (draw.chance(0.05)) return new Date(nowMs - draw.below(3_650) * dayMs).toISOString();
  if (draw.chance(0.02)) return new Date(nowMs + dayMs).toISOString();
  if (draw.chance(0.05)) {
    return new Date(nowMs + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
  }
  return new Date(nowMs).toISOString();
}

function replyTo(parent: Post): object {
  const reference = { uri: parent.uri, cid: parent.cid };
  return { root: parent.root ?? reference, parent: reference };
}

const quoteEmbed = ({ uri, cid }: Post): object => ({
  $type: "app.bsky.embed.record",
  record: { uri, cid },
});

const mentionFacet = ({ did, handle }: Person): object => ({
  index: { byteStart: 0, byteEnd: handle.length + 1 },
  features: [{ $type: "app.bsky.richtext.facet#mention", did }],
});
