import { type RefObject, useLayoutEffect, useState } from "preact/compat";

/** In CSS pixels, measured before the first paint. */
export function useWidth(element: RefObject<Element | null>, initialWidth: number): number {
  const [width, setWidth] = useState(initialWidth);
  useLayoutEffect(() => {
    const current = element.current;
    if (current === null) return;
    const measure = () => {
      const measuredWidth = Math.round(current.getBoundingClientRect().width);
      if (measuredWidth > 0) setWidth(measuredWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
