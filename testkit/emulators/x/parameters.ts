import { badParameter } from "./problems.ts";

/** The fields in X's data dictionary and OpenAPI description (2.167). */
const tweet =
  "article attachments author_id card_uri community_id context_annotations conversation_id created_at display_text_range edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang media_metadata non_public_metrics note_tweet organic_metrics paid_partnership possibly_sensitive promoted_metrics public_metrics referenced_tweets reply_settings scopes text withheld";
const post =
  "article article_title attachments card_uri community_id context_annotations conversation_id created_at display_text_range edit_controls entities geo id lang matched_media_notes media_metadata non_public_metrics note_post note_request_suggestions organic_metrics paid_partnership possibly_sensitive promoted_metrics public_metrics reply_settings scopes source suggested_source_links suggested_source_links_with_counts text withheld";
const user =
  "confirmed_email connection_status created_at description entities id is_identity_verified location name parody profile_banner_url profile_image_url protected public_metrics receives_your_dm subscribes_to_you subscription subscription_type url username verified verified_followers_count verified_type withheld";
const space =
  "created_at ended_at id is_ticketed lang participant_count scheduled_start started_at state subscriber_count title updated_at";

export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  "tweet.fields": tweet.split(" "),
  "post.fields": post.split(" "),
  "user.fields": user.split(" "),
  "space.fields": space.split(" "),
  "media.fields":
    "alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url promoted_metrics public_metrics type url variants width".split(
      " ",
    ),
  "trend.fields": ["trend_name", "tweet_count"],
  "usage.fields":
    "cap_reset_day daily_client_app_usage daily_project_usage project_cap project_id project_usage".split(
      " ",
    ),
};

export const postExpansions =
  "article.cover_media article.media_entities attachments.media_keys attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username geo.place_id in_reply_to_user_id referenced_tweets.id referenced_tweets.id.author_id".split(
    " ",
  );
export const spaceExpansions = [
  "creator_id",
  "host_ids",
  "invited_user_ids",
  "speaker_ids",
  "topic_ids",
];
export const userExpansions = ["affiliation", "most_recent_tweet_id", "pinned_tweet_id"];

export function checkParameters(
  query: URLSearchParams,
  allowed: readonly string[],
  expansions: readonly string[],
): void {
  for (const [name, value] of query) {
    if (!allowed.includes(name)) {
      throw badParameter(name, value, `The query parameter [${name}] is not one of [${allowed}]`);
    }
    const allowedValues = name === "expansions" ? expansions : fieldNames[name];
    const invalidValue =
      allowedValues === undefined
        ? undefined
        : value.split(",").find((text) => !allowedValues.includes(text));
    if (invalidValue !== undefined) {
      throw badParameter(
        name,
        value,
        `The \`${name}\` query parameter value [${invalidValue}] is not one of [${allowedValues}]`,
      );
    }
  }
}

export function numberIn(
  query: URLSearchParams,
  name: string,
  [min, max]: readonly [number, number],
  defaultValue: number,
): number {
  const value = query.get(name);
  if (value === null) return defaultValue;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw badParameter(
      name,
      value,
      `The \`${name}\` query parameter value [${value}] is not between ${min} and ${max}`,
    );
  }
  return number;
}

export function timeIn(query: URLSearchParams, name: string): number | null {
  const value = query.get(name);
  if (value === null) return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) {
    throw badParameter(
      name,
      value,
      `The \`${name}\` query parameter value [${value}] is not a valid RFC3339 date-time`,
    );
  }
  return Date.parse(value);
}

export const parameterValues = (query: URLSearchParams, ...names: readonly string[]): Set<string> =>
  new Set(names.flatMap((name) => query.get(name)?.split(",") ?? []));

export const postParameters = [
  "tweet.fields",
  "post.fields",
  "expansions",
  "user.fields",
  "media.fields",
  "poll.fields",
  "place.fields",
];
export const userParameters = ["user.fields", "expansions", "tweet.fields", "post.fields"];
