/** What people decided a moment ago, each with the button and the command that take it back. */
import { useSignal } from "@preact/signals";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { act } from "svc/dashboard/state/api.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { refresh } from "svc/dashboard/state/resource.ts";
import { Copied } from "./copied.tsx";
import { Age } from "./facts.tsx";
import { Icon } from "./icon.tsx";
import { useKeptFocus } from "./kept_focus.ts";
import { Section } from "./page.tsx";
import { refusalText } from "./refusal_text.ts";

/** Tells how it ended; never throws. */
export async function takeBack(decision: string): Promise<void> {
  try {
    const { said } = await act("/api/undo-decision", { decision_id: decision });
    notify({ tone: "good", text: typeof said === "string" ? said : "It is taken back" });
  } catch (thrown) {
    notify({ tone: "bad", text: refusalText(thrown) });
  }
  refresh();
}

function DecidedItem({ of }: { readonly of: Pipeline["decided"][number] }) {
  const busy = useSignal(false);
  const ref = useKeptFocus<HTMLLIElement>();
  const undo = async () => {
    busy.value = true;
    await takeBack(of.decision_id);
    busy.value = false;
  };
  return (
    <li ref={ref} class="card" data-item>
      <Icon name="done" />
      <div class="card-body">
        <p class="card-title">{of.said}</p>
        <p class="card-about">
          <span>{of.by}</span>
          <span>can be taken back {of.undo}</span>
        </p>
        <div class="card-ways">
          <div class="way-buttons">
            <button
              type="button"
              class="button"
              data-act
              disabled={busy.value}
              onClick={() => void undo()}
            >
              Undo<kbd aria-hidden="true">1</kbd>
            </button>
          </div>
          <details class="way-commands">
            <summary>In a terminal</summary>
            <Copied of={of.command} name="Undo" />
          </details>
        </div>
      </div>
      <Age at={of.at} />
    </li>
  );
}

export function Decided({ of }: { readonly of: Pipeline["decided"] }) {
  if (of.length === 0) return null;
  return (
    <Section title="Decided just now" note={String(of.length)}>
      <ul class="cards">
        {of.map((one) => <DecidedItem key={one.decision_id} of={one} />)}
      </ul>
    </Section>
  );
}
