import "./platform-mark.css";
import "./post.css";
import { useState } from "preact/compat";
import { wholeNumber } from "../numbers.ts";
import { Badge } from "./badge.tsx";
import { Button } from "./button.tsx";
import { Code } from "./code.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { Ago } from "./time.tsx";

type PostMetric = { icon: IconName; name: string; count: number };

/** `parts` are rendered as text, never as markup. */
export type ShownPost = {
  id: string;
  platform: { icon: IconName; name: string } | null;
  author: string | null;
  handle: string | null;
  at: string | null;
  /** Null if the platform allows only the ID. */
  parts: readonly { text: string; start: number; isMatch: boolean }[] | null;
  /** True if the author’s domain is reserved for examples. */
  isSample: boolean;
  metrics: readonly PostMetric[];
  url: string | null;
  json: string;
};

export function Post({ post }: { post: ShownPost }) {
  const { platform, author, handle, at, parts, isSample, metrics, url, json, id } = post;
  const name = author ?? handle ?? `Post ${id}`;
  return (
    <article
      className="post"
      tabIndex={-1}
      aria-label={`${name}${platform ? `, ${platform.name}` : ""}`}
    >
      <span className="platform">{platform === null ? null : <Icon name={platform.icon} />}</span>
      <div>
        <div className="post-head">
          {author === null ? null : <b dir="auto">{author}</b>}
          <span className="handle">
            {handle === null ? (
              `Post ${id}`
            ) : (
              <>
                @<bdi>{handle}</bdi>
              </>
            )}
          </span>
          {at === null ? null : <Ago at={at} />}
        </div>
        {parts === null ? <p className="withheld">Text not shown</p> : <PostText parts={parts} />}
        <div className="post-foot">
          {platform === null ? null : <Badge>{platform.name}</Badge>}
          {isSample ? <Badge tone="caution">sample</Badge> : null}
          {metrics.map(({ icon, name, count }) => (
            <span className="metric" key={name}>
              <Icon name={icon} />
              <span className="sr">{name}: </span>
              {wholeNumber(count)}
            </span>
          ))}
          <div className="post-actions">
            {url === null ? null : (
              <a className="original" href={url} target="_blank" rel="noreferrer noopener">
                Original
              </a>
            )}
            <details>
              <summary>Metadata</summary>
              <Code label="Post metadata">{json}</Code>
            </details>
          </div>
        </div>
      </div>
    </article>
  );
}

/** Longer texts are collapsed. */
const maxTextLength = 800;
const maxLines = 12;

function PostText({ parts }: { parts: NonNullable<ShownPost["parts"]> }) {
  const fullText = parts.map(({ text }) => text).join("");
  const isLong = fullText.length > maxTextLength || fullText.split("\n").length > maxLines;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p className="post-text" dir="auto" data-folded={isLong && !isOpen ? "" : undefined}>
        {parts.map(({ text, start, isMatch }) =>
          isMatch ? <mark key={start}>{text}</mark> : text,
        )}
      </p>
      {isLong ? (
        <Button
          size="small"
          variant="plain"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Show less" : "Show more"}
        </Button>
      ) : null}
    </>
  );
}
