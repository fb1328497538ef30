import { clientCalls } from "./client-calls.ts";
import { pythonSample, typescriptSample } from "./client-samples.ts";
import { curlSample } from "./curl-sample.ts";
import { type Endpoint, sampleUrl } from "./endpoint.ts";

export type CodeSample = { lang: string; label: string; source: string };

/** The key is in `EARSHOT_API_KEY`. */
export function makeCodeSamples(endpoint: Endpoint): CodeSample[] {
  const { operationId } = endpoint.operation;
  const { fields, implied } = clientCalls[operationId.replace("WithoutPlatform", "")] ?? {};
  const curl = { lang: "Shell", label: "curl", source: curlSample(endpoint, fields ?? implied) };
  const call = clientCalls[operationId];
  if (call === undefined) return [curl];
  const samples = [
    curl,
    { lang: "TypeScript", label: "TypeScript", source: typescriptSample(endpoint, call) },
    { lang: "Python", label: "Python", source: pythonSample(endpoint, call) },
  ];
  if (call.command === undefined) return samples;
  const source = `earshot ${call.command} --url ${sampleUrl}`;
  return [...samples, { lang: "Shell", label: "CLI", source }];
}
