/** Every X endpoint accepts these; responses may also contain newer names (`firstPresent`). */
export const userFields =
  "id,name,username,created_at,description,entities,location,parody,profile_banner_url,profile_image_url,protected,public_metrics,url,verified";

const postFields =
  "id,text,attachments,author_id,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics,referenced_tweets,withheld";

/** Requests only what is shown, because X may bill included resources. */
export const postParameters = {
  "tweet.fields": postFields,
  expansions: "author_id,attachments.media_keys",
  "user.fields": "id,name,username,verified",
  "media.fields": "media_key,type,url,preview_image_url,alt_text,variants",
} as const;

/** X returns hosts and speakers only as expansions. */
export const spaceParameters = {
  "space.fields":
    "id,title,state,created_at,scheduled_start,started_at,ended_at,lang,participant_count",
  expansions: "host_ids,speaker_ids",
  "user.fields": "id",
} as const;
