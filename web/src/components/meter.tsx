import "./meter.css";
export function Meter({
  value,
  max,
  label,
  tone,
}: {
  value: number;
  max: number;
  label: string;
  tone?: "caution" | undefined;
}) {
  const fraction = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <svg className="meter" data-tone={tone} role="img" aria-label={label}>
      <rect width={`${fraction * 100}%`} height="100%" />
    </svg>
  );
}
