import { useEffect, useState } from "react";

/** A value once it has stayed the same for so long: what is typed is asked for when the typing pauses. */
export function useSettled<Value>(value: Value, forMs = 250): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}
