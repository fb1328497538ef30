import "./platform-mark.css";
import type { Platform } from "../../../src/posts/post.ts";
import { Icon } from "./icons.tsx";

export function PlatformMark({ platform }: { platform: Platform }) {
  return (
    <span className="platform">
      <Icon name={platform} />
    </span>
  );
}
