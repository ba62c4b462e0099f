/** The machines of a team: what each is at, what runs there, when it was heard, and what one may ask of it. */
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import { controlsOfNode, NODE_VERBS } from "svc/dashboard/state/node_controls.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
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

/** Buttons of what one may ask of it; none where nothing would change. */
export function NodeControls(
  { of }: { readonly of: Pick<NodeItem, "condition" | "name" | "why"> },
) {
  const keys = controlsOfNode(of);
  if (keys.length === 0) return null;
  return (
    <div class="way-buttons">
      {/* Known by place: the one that was pressed keeps the focus when it becomes another. */}
      {keys.map((key, place) => (
        <button
          key={place}
          type="button"
          class={key === "stop-node" ? "button harsh" : "button"}
          aria-label={`${NODE_VERBS[key]} ${of.name}`}
          onClick={() => openControl(key, { node: of.name })}
        >
          {NODE_VERBS[key]}
        </button>
      ))}
    </div>
  );
}

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
      <NodeControls of={of} />
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
