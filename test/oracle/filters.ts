import type { AnalyzedPost } from "./analyze.ts";

type Filter = (post: AnalyzedPost) => boolean;

const sensitiveLabels = new Set(["porn", "sexual", "nudity", "graphic-media", "gore", "nsfl"]);

const isVideo = (type: string): boolean =>
  /^(?:video|video\/.*|gif|gifv|animated_gif|image\/gif)$/i.test(type);
const isPicture = (type: string): boolean =>
  /^(?:image|image\/.*|photo|picture)$/i.test(type) && !isVideo(type);

const retweets: Filter = ({ post, isOldStyleRepost }) =>
  post.Metadata.is_retweet || isOldStyleRepost;
const nativeRetweets: Filter = ({ post }) => post.Metadata.is_retweet;
const replies: Filter = ({ post }) => post.Metadata.is_reply && !post.Metadata.is_retweet;
const quotes: Filter = ({ post }) => post.Metadata.is_quote;
const links: Filter = ({ post }) => post.Metadata.urls.length > 0;
const images: Filter = ({ post }) => post.Metadata.media.some(({ type }) => isPicture(type));
const videos: Filter = ({ post }) => post.Metadata.media.some(({ type }) => isVideo(type));

const selfThreads: Filter = (post) => {
  const { author, repliedTo } = post;
  if (!replies(post) || !repliedTo) return false;
  if (author.id !== null && repliedTo.id !== null) return author.id === repliedTo.id;
  return author.handle !== null && author.handle === repliedTo.handle;
};

const safe: Filter = ({ post, labels }) =>
  post.Metadata.possibly_sensitive !== true && !labels.some((label) => sensitiveLabels.has(label));

const engagement: Filter = ({ post }) => {
  const { like_count, retweet_count, reply_count } = post.Metadata.public_metrics;
  return [like_count, retweet_count, reply_count].some((count) => (count ?? 0) >= 1);
};

const filters: Record<string, Filter> = {
  retweet: retweets,
  nativeretweet: nativeRetweets,
  reply: replies,
  self_thread: selfThreads,
  quote: quotes,
  safe,
  verified: ({ post }) => post.Metadata.author_verified === true,
  link: links,
  media: ({ post }) => post.Metadata.media.length > 0,
  image: images,
  twimg: images,
  video: videos,
  native_video: videos,
  consumer_video: videos,
  hashtag: ({ post }) => post.Metadata.hashtags.length > 0,
  mention: ({ post }) => post.Metadata.mentions.length > 0,
  cashtag: ({ cashtags }) => cashtags.length > 0,
  geo: ({ post }) => post.Metadata.geo !== null,
  engagement,
  has_engagement: engagement,
};

/** Accepts the singular or plural. @throws Error if the name is unknown. */
export function parseFilter(name: string): Filter {
  const lower = name.toLowerCase();
  const found =
    filters[lower] ?? filters[lower.replace(/ies$/, "y")] ?? filters[lower.replace(/s$/, "")];
  if (!found) throw new Error(`unknown filter: ${name}`);
  return found;
}
