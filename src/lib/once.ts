export function once<Value>(make: () => Value): () => Value {
  let cached: { value: Value } | null = null;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
