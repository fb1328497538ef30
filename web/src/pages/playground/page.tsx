import { PageHead } from "../../components/page-head.tsx";

export function PlaygroundPage() {
  return <PageHead title="playground" />;
}
