import type { Logger } from "pino";
import type { Archive, Damage } from "../../archive/archive.ts";

export function watchDamage(archive: Pick<Archive, "onDamage">, log: Pick<Logger, "error">): void {
  const loggedSegments = new Set<string>();
  archive.onDamage((damage) => {
    for (const part of damage) {
      const segment = damageSegment(part);
      if (loggedSegments.has(segment)) continue;
      loggedSegments.add(segment);
      log.error(
        { segment, repair: `earshot archive reindex --segment ${segment}` },
        "an archive segment is damaged, so posts are missing from answers: run earshot archive check",
      );
    }
  });
}

const damageSegment = ({ platform, sequence }: Damage): string => `${platform}/${sequence}`;
