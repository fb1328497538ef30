import { useCallback, useEffect, useState } from "preact/compat";
import type { RatesLeft } from "../../api.ts";

const minuteMs = 60_000;

type ObservedRates = RatesLeft & { atMs: number };

export function useRates(): [ObservedRates | null, (received: RatesLeft) => void] {
  const [rates, setRates] = useState<ObservedRates | null>(null);
  const observe = useCallback((received: RatesLeft) => {
    if (received.searches !== null) setRates({ ...received, atMs: Date.now() });
  }, []);
  return [rates, observe];
}

export function RatesLine({
  rates,
  perMinute,
}: {
  rates: ObservedRates | null;
  perMinute: number;
}) {
  const [nowMs, setNowMs] = useState(Date.now);
  const isRecent = rates !== null && nowMs - rates.atMs < minuteMs;
  useEffect(() => {
    if (rates === null) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    const stop = setTimeout(() => clearInterval(timer), minuteMs + 2_000);
    return () => {
      clearInterval(timer);
      clearTimeout(stop);
    };
  }, [rates]);
  if (rates === null || rates.searches === null || !isRecent) {
    return <span className="num">{perMinute} searches per minute</span>;
  }
  const inSeconds = Math.ceil((rates.atMs + rates.searchesInMs - nowMs) / 1_000);
  if (rates.searches === 0 && inSeconds > 0) {
    return <span className="num">No searches left this minute, next in {inSeconds} s</span>;
  }
  return (
    <span className="num">
      {rates.searches} of {perMinute} searches left this minute
    </span>
  );
}
