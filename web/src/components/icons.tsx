import type { ReactNode } from "preact/compat";

/** Drawn on a grid of 16, in the text colour. */
const drawings = {
  menu: <path d="M2.5 5.5h11M2.5 10.5h11" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  list: <path d="M2.5 4h11M2.5 8h11M2.5 12h6" />,
  key: (
    <>
      <circle cx="5.25" cy="10.75" r="2.75" />
      <path d="m7.3 8.7 5.9-5.9M10.6 5.4l2 2" />
    </>
  ),
  bars: <path d="M2.75 13.5V9M6.25 13.5V5.5M9.75 13.5V7.5M13.25 13.5v-11" />,
  plug: <path d="M6 2.5V6M10 2.5V6M4 6h8v1.5a4 4 0 0 1-8 0zM8 11.5v2.5" />,
  pulse: <path d="M1.5 8.5H4l1.8-5 3.4 9.5 2-4.5h3.3" />,
  person: (
    <>
      <circle cx="8" cy="5.25" r="2.5" />
      <path d="M3 13.5c.5-2.6 2.4-4 5-4s4.5 1.4 5 4" />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.5" r="2.25" />
      <path d="M1.75 13c.4-2.3 1.9-3.5 4.25-3.5s3.85 1.2 4.25 3.5M10.5 3.4a2.25 2.25 0 0 1 0 4.2M12 9.8c1.3.5 2 1.6 2.25 3.2" />
    </>
  ),
  log: <path d="M4 2.5h6l2.5 2.5v8.5H4zM6.5 7h3.5M6.5 10h3.5" />,
  nodes: (
    <>
      <rect x="2.5" y="2.75" width="11" height="4.25" rx="1.25" />
      <rect x="2.5" y="9" width="11" height="4.25" rx="1.25" />
      <path d="M5 4.9h.01M5 11.1h.01M8.5 4.9H11M8.5 11.1H11" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.5" r="1.75" />
      <circle cx="4.5" cy="12.5" r="1.75" />
      <circle cx="11.5" cy="5" r="1.75" />
      <path d="M4.5 5.25v5.5M11.5 6.75c0 2.4-1.8 3.2-4 3.2-1.5 0-2.5.3-3 1" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11M8 5h4.5M8 8h5.5M8 11h4.5" />
    </>
  ),
  bluesky: (
    <path
      d="M8 7.3C6.6 4.7 4.5 3 3 3c-1.3 0-1 4.2.2 5.5.8.8 2 .9 3 .7-1.7.4-2.6 1.2-1.5 2.6C6.2 13.7 7.5 11.6 8 10.2c.5 1.4 1.8 3.5 3.3 1.6 1.1-1.4.2-2.2-1.5-2.6 1 .2 2.2.1 3-.7C14 7.2 14.3 3 13 3c-1.5 0-3.6 1.7-5 4.3z"
      fill="currentColor"
      stroke="none"
    />
  ),
  mastodon: (
    <>
      <path
        d="M13.3 8.3c0 1.7-1 2.7-2.6 2.9-1.4.2-3 .3-4.4.1.2 1.5 2 1.8 4.3 1.3-.9 1.2-2.5 1.5-4.2 1.1-2.8-.6-3.7-2.6-3.7-5.5V5.5c0-2 1.2-3 3.3-3h4c2.1 0 3.3 1 3.3 3z"
        strokeWidth="1.4"
      />
      <path
        d="M5.3 8.8V6.5c0-1.7 2.7-1.7 2.7.1v1.2-1.2c0-1.8 2.7-1.8 2.7-.1v2.3"
        strokeWidth="1.4"
      />
    </>
  ),
  x: <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.75" />
      <path d="M10.5 3.4c-.2-.5-.7-.9-1.3-.9H4c-.8 0-1.5.7-1.5 1.5v5.2c0 .6.4 1.1.9 1.3" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m5.5 8.2 1.8 1.8 3.3-3.7" />
    </>
  ),
  progress: <path d="M8 2.25A5.75 5.75 0 1 1 2.25 8" />,
  circle: <circle cx="8" cy="8" r="5.75" />,
  error: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m6 6 4 4M10 6l-4 4" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M5.5 8h5" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.5v3.2M8 5.2v.01" />
    </>
  ),
  retry: <path d="M13.5 8A5.5 5.5 0 1 1 11.7 3.9M11.9 1.7v2.5H9.4" />,
  reply: (
    <path d="M13.5 9.8c0 .8-.7 1.5-1.5 1.5H6.5L3.5 13.8V4c0-.8.7-1.5 1.5-1.5h7c.8 0 1.5.7 1.5 1.5z" />
  ),
  repeat: (
    <path d="M3 7.5V6c0-1.1.9-2 2-2h7.5M10.3 1.8 12.5 4l-2.2 2.2M13 8.5V10c0 1.1-.9 2-2 2H3.5M5.7 14.2 3.5 12l2.2-2.2" />
  ),
  heart: (
    <path d="M8 13.2C4.3 10.7 2.3 8.5 2.3 6.2c0-1.9 1.3-3.2 3-3.2 1.2 0 2.2.7 2.7 1.8C8.5 3.7 9.5 3 10.7 3c1.7 0 3 1.3 3 3.2 0 2.3-2 4.5-5.7 7z" />
  ),
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}
