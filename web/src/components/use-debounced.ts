import { useEffect, useState } from "preact/compat";

export function useDebounced<Value>(value: Value, forMs = 250): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return debounced;
}
