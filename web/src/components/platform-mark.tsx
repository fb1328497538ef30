import "./platform-mark.css";
import type { Platform } from "../../../src/posts/post.ts";
import { Icon } from "./icons.tsx";

/** A platform's glyph, uncoloured; its word stands beside. */
export function PlatformMark({ platform }: { platform: Platform }) {
  return (
    <span className="platform">
      <Icon name={platform} />
    </span>
  );
}
