import type { Logger } from "pino";
import type { Archive, Damage } from "../../archive/archive.ts";

export function watchDamage(archive: Pick<Archive, "onDamage">, log: Pick<Logger, "error">): void {
  const logged = new Set<string>();
  archive.onDamage((damage) => {
    for (const part of damage) {
      const segment = damageSegment(part);
      if (logged.has(segment)) continue;
      logged.add(segment);
      log.error(
        { segment, repair: `earshot archive reindex --segment ${segment}` },
        "a segment of the archive is damaged, so answers lack posts: run earshot archive check",
      );
    }
  });
}

const damageSegment = ({ platform, sequence }: Damage): string => `${platform}/${sequence}`;
