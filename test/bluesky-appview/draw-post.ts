import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { selfLabels } from "../../testkit/bluesky-world/records.ts";
import type { Blob } from "./network.ts";
import type { Account, Post, Reference } from "./network-content.ts";

export type PostContext = {
  author: Account;
  createdMs: number;
  parent: Post | null;
  quoted: Post | null;
  mention: Account | null;
  picture: Blob | null;
};

export type DrawnPost = { record: Record<string, unknown>; post: Omit<Post, "uri" | "cid"> };

const words = (
  "river stone Café cafe\u0301 naïve don't news йога ΟΔΟΣ İstanbul 東京タワー سَلام a_b x2 rain tram window comet " +
  "harbour ＦＵＬＬ 🎉 👩‍👩‍👧 zebra"
).split(" ");
/** These words are rare, so that searches for them finish. */
export const rareWord = "okapi";
export const otherRareWord = "saiga";
const languages = [["en"], ["de", "en"], ["pt-BR"], ["ja"]] as const;
const ownLabels = ["porn", "nudity", "graphic-media", "spoiler"];

/** Draws a post with mentions, tags and links at byte offsets. */
export function drawPost(draw: Draw, context: PostContext): DrawnPost {
  const { author, createdMs, parent, quoted, mention } = context;
  const root = parent === null ? null : (parent.root ?? parent);
  const content = drawContent(draw, mention);
  const langs = draw.chance(0.7) ? draw.pick(languages) : [];
  const labels = draw.chance(0.04) ? [draw.pick(ownLabels)] : [];
  const extraTags = draw.chance(0.05) ? [`further${draw.below(5)}`] : [];
  const { embed, pictures, link } = drawEmbed(draw, context);
  return {
    record: {
      $type: "app.bsky.feed.post",
      text: content.text,
      createdAt: timeText(draw, createdMs),
      ...(content.facets.length > 0 ? { facets: content.facets } : {}),
      ...(langs.length > 0 ? { langs } : {}),
      ...(extraTags.length > 0 ? { tags: extraTags } : {}),
      ...(labels.length > 0 ? { labels: selfLabels(labels) } : {}),
      ...(parent === null || root === null
        ? {}
        : { reply: { root: referenceTo(root), parent: referenceTo(parent) } }),
      ...(embed === null ? {} : { embed }),
    },
    post: {
      author,
      state: "visible",
      reason: "",
      createdMs,
      text: content.text,
      langs,
      hashtags: [...content.tags, ...extraTags],
      mentions: mention === null ? [] : [mention.handle],
      urls: [...new Set([...content.links, ...(link === null ? [] : [link])])],
      pictures,
      parent,
      root,
      quoted,
      labels,
    },
  };
}

const referenceTo = ({ uri, cid }: Reference): Reference => ({ uri, cid });

type Facet = { index: { byteStart: number; byteEnd: number }; features: object[] };

function drawContent(draw: Draw, mention: Account | null) {
  let text = "";
  const facets: Facet[] = [];
  const tags: string[] = [];
  const links: string[] = [];
  const append = (word: string, feature: object | null): void => {
    if (text !== "") text += draw.chance(0.05) ? "\n" : " ";
    const byteStart = Buffer.byteLength(text);
    text += word;
    if (feature === null) return;
    facets.push({ index: { byteStart, byteEnd: Buffer.byteLength(text) }, features: [feature] });
  };
  const appendWords = (max: number): void => {
    for (let remaining = draw.below(max); remaining > 0; remaining--)
      append(draw.pick(words), null);
  };
  appendWords(6);
  if (mention !== null) {
    append(`@${mention.handle}`, { $type: "app.bsky.richtext.facet#mention", did: mention.did });
  }
  if (draw.chance(0.15)) {
    const tag = draw.pick(["Rain", "tram", "東京", "naïve", "a_b"]) + draw.below(4);
    tags.push(tag);
    append(`#${tag}`, { $type: "app.bsky.richtext.facet#tag", tag });
  }
  appendWords(6);
  if (draw.chance(0.1)) {
    const uri = `https://example.com/page/${draw.below(50)}?of=${draw.below(9)}#part`;
    links.push(uri);
    append("example.com/page…", { $type: "app.bsky.richtext.facet#link", uri });
  }
  if (draw.chance(0.04)) append(draw.pick([rareWord, rareWord, otherRareWord]), null);
  if (text === "") append(draw.pick(words), null);
  return { text, facets, tags, links };
}

function drawEmbed(draw: Draw, { quoted, picture }: PostContext) {
  const record = quoted === null ? null : referenceTo(quoted);
  const isIllustrated = picture !== null && draw.chance(0.4);
  const count = isIllustrated ? 1 + draw.below(4) : 0;
  const alts = Array.from({ length: count }, () => (draw.chance(0.7) ? draw.pick(words) : ""));
  const images = {
    $type: "app.bsky.embed.images",
    images: alts.map((alt) => ({ alt, image: picture })),
  };
  const pictures = alts.map((alt) => ({ hash: picture?.ref.$link ?? "", alt }));
  if (record !== null && isIllustrated) {
    const embed = {
      $type: "app.bsky.embed.recordWithMedia",
      record: { $type: "app.bsky.embed.record", record },
      media: images,
    };
    return { embed, pictures, link: null };
  }
  if (record !== null) {
    return { embed: { $type: "app.bsky.embed.record", record }, pictures, link: null };
  }
  if (isIllustrated) return { embed: images, pictures, link: null };
  if (!draw.chance(0.08)) return { embed: null, pictures, link: null };
  const link = `https://news.example/${draw.below(99)}/story?id=${draw.below(9)}`;
  const external = { uri: link, title: draw.pick(words), description: draw.pick(words) };
  return { embed: { $type: "app.bsky.embed.external", external }, pictures, link };
}

/** Some apps write times with an offset other than UTC. */
function timeText(draw: Draw, ms: number): string {
  if (draw.chance(0.95)) return new Date(ms).toISOString();
  return new Date(ms + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
}
