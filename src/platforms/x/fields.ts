/**
 * What requests ask for. `tweet.fields` and `referenced_tweets` are the names that all of X takes; those of its newer
 * description are read as well (`either`).
 */
export const userFields =
  "id,name,username,created_at,description,entities,location,parody,profile_banner_url,profile_image_url,protected,public_metrics,url,verified";

const postFields =
  "id,text,attachments,author_id,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets,withheld";

/** An author and the media of each post; nothing that is not shown, as X may bill what it sends beside the posts. */
export const postParameters = {
  "tweet.fields": postFields,
  expansions: "author_id,attachments.media_keys",
  "user.fields": "id,name,username,verified",
  "media.fields": "media_key,type,url,preview_image_url,alt_text,variants",
} as const;

/** Hosts and speakers are no fields of a Space: X shows them where it is asked to expand them. */
export const spaceParameters = {
  "space.fields":
    "id,title,state,created_at,scheduled_start,started_at,ended_at,lang,participant_count",
  expansions: "host_ids,speaker_ids",
  "user.fields": "id",
} as const;
