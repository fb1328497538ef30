import { useEffect, useState } from "preact/compat";

const delayMs = 300;

/** Shows its text after a moment, to avoid flicker. */
export function Loading({ children }: { children: string }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="quiet" role="status">
      {isLate ? children : null}
    </p>
  );
}
