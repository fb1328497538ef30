import { useCallback, useEffect, useState } from "preact/compat";
import type { RemainingRates } from "../../api.ts";

const minuteMs = 60_000;

type ObservedRates = RemainingRates & { atMs: number };

export function useRates(): [ObservedRates | null, (newRates: RemainingRates) => void] {
  const [rates, setRates] = useState<ObservedRates | null>(null);
  const observe = useCallback((newRates: RemainingRates) => {
    if (newRates.searches !== null) setRates({ ...newRates, atMs: Date.now() });
  }, []);
  return [rates, observe];
}

export function RatesLine({
  rates,
  searchesPerMinute,
}: {
  rates: ObservedRates | null;
  searchesPerMinute: number;
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
    return <span className="num">{searchesPerMinute} searches per minute</span>;
  }
  const secondsLeft = Math.ceil((rates.atMs + rates.searchResetInMs - nowMs) / 1_000);
  if (rates.searches === 0 && secondsLeft > 0) {
    return <span className="num">No searches left this minute, next in {secondsLeft} s</span>;
  }
  return (
    <span className="num">
      {rates.searches} of {searchesPerMinute} searches left this minute
    </span>
  );
}
