import { useEffect, useState } from "preact/compat";

/** A debounced value. */
export function useSettled<Value>(value: Value, forMs = 250): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}
