import type { Platform } from "../../../../src/posts/post.ts";
import { Button } from "../../components/button.tsx";
import { PlatformMark } from "../../components/platform-mark.tsx";
import { platformNames, platforms } from "../../platforms.ts";
import { platformTexts } from "./texts.ts";

export function PlatformList({
  connectedPlatforms,
  onConnect,
}: {
  connectedPlatforms: ReadonlySet<Platform>;
  onConnect(platform: Platform): void;
}) {
  return (
    <section aria-labelledby="platforms">
      <div className="section-head">
        <h2 id="platforms">What each platform offers</h2>
        <p>
          Methods: <a href="/docs/platforms">Platforms</a>. How to get tokens:{" "}
          <a href="/docs/credentials">Credentials</a>.
        </p>
      </div>
      <div className="panel">
        <ul className="list">
          {platforms.map((platform) => {
            const name = platformNames[platform];
            const { without: withoutCredential, with: withCredential } = platformTexts[platform];
            return (
              <li key={platform}>
                <PlatformMark platform={platform} />
                <div className="grow">
                  <h3>{name}</h3>
                  <p>
                    <b>Without a credential:</b> {withoutCredential}
                  </p>
                  <p>
                    <b>With your own:</b> {withCredential}
                  </p>
                </div>
                <div className="row">
                  {connectedPlatforms.has(platform) ? (
                    <Button
                      size="small"
                      aria-label={`Connect another ${name} credential`}
                      onClick={() => onConnect(platform)}
                    >
                      Connect another
                    </Button>
                  ) : (
                    <Button size="small" onClick={() => onConnect(platform)}>
                      Connect {name}
                    </Button>
                  )}
                </div>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
