/** The machines of a team: what each is at, what runs there, and when it was heard. */
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import { Age, Chip } from "./facts.tsx";
import { Section } from "./page.tsx";

const TONES = {
  working: "working",
  waiting: "waiting",
  paused: "waiting",
  draining: "waiting",
  drained: "waiting",
  stopping: "waiting",
  gone: "failing",
  ended: "done",
} as const satisfies Record<NodeItem["condition"], string>;

function Node({ of }: { readonly of: NodeItem }) {
  const { name, condition, running, concurrency, version, models, why, beat_at } = of;
  return (
    <li>
      <Chip tone={TONES[condition]}>{condition}</Chip>
      <strong>{name}</strong>
      <span class="dim">
        {running} of {concurrency} at work · svc {version}
        {models.length > 0 && ` · ${models.join(", ")}`}
      </span>
      <span class="dim">
        heard <Age at={beat_at} />
      </span>
      {why !== null && <span class="dim">{condition === "waiting" ? `waits: ${why}` : why}</span>}
    </li>
  );
}

export function NodeList({ nodes }: { readonly nodes: readonly NodeItem[] }) {
  return (
    <Section title="Nodes" note={String(nodes.length)}>
      <ul class="checks">{nodes.map((node) => <Node key={node.id} of={node} />)}</ul>
    </Section>
  );
}
