import type { Method } from "../../../../src/platforms/methods.ts";
import { Badge } from "../../components/badge.tsx";

const maxShown = 2;

export function Methods({ methods }: { methods: readonly Method[] | null }) {
  if (methods === null) return <Badge>All methods</Badge>;
  const hiddenMethods = methods.slice(maxShown);
  return (
    <span className="badges">
      {methods.slice(0, maxShown).map((method) => (
        <Badge key={method}>{method}</Badge>
      ))}
      {hiddenMethods.length === 0 ? null : (
        <span className="quiet" title={hiddenMethods.join(", ")}>
          and {hiddenMethods.length} more
        </span>
      )}
    </span>
  );
}
