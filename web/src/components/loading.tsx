import { useEffect, useState } from "react";

const patienceMs = 300;

/** While the first answer is waited for: nothing for a moment, then a line that says so. */
export function Loading({ children }: { children: string }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="quiet" role="status">
      {isLate ? children : null}
    </p>
  );
}
