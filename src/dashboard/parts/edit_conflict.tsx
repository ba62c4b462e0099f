/** Two people changed one ticket: both texts, and the ways to settle it. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
  FIELD_LABELS,
  type FieldConflict,
  type TypedFields,
} from "svc/dashboard/state/ticket_fields.ts";
import { markedLines, MARKS, mergedText, openPlaces } from "svc/dashboard/state/text_merge.ts";
import { counted } from "svc/dashboard/state/words.ts";
import { Section } from "./page.tsx";

/** Pixels of what stands before the first change. */
const SEEN_ABOVE = 60;

function Text(
  { title, base, text }: { readonly title: string; readonly base: string; readonly text: string },
) {
  const pane = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const first = pane.current?.querySelector<HTMLElement>(".plus");
    if (first) pane.current!.scrollTop = first.offsetTop - SEEN_ABOVE;
  }, []);
  return (
    <Section title={title} note="what is new is marked">
      <pre ref={pane} class="both-text" tabIndex={0} dir="auto">
        {markedLines(base, text).map((line, nth) => (
          <span key={nth} class={line.fresh ? "plus" : ""}>{`${line.text}\n`}</span>
        ))}
      </pre>
    </Section>
  );
}

export function TextConflict(
  { base, mine, theirs, busy, onTheirs, onSave }: {
    readonly base: string;
    readonly mine: string;
    readonly theirs: string;
    readonly busy: boolean;
    onTheirs(): void;
    onSave(merged: string): void;
  },
) {
  const merged = useSignal(mergedText(base, mine, theirs).text);
  const open = openPlaces(merged.value);
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { value } = area.current!;
    const at = value.indexOf(MARKS.mine);
    if (at < 0) return;
    const { scrollHeight } = area.current!;
    const line = value.slice(0, at).split("\n").length;
    area.current!.setSelectionRange(at, at);
    area.current!.scrollTop = scrollHeight * line / value.split("\n").length - SEEN_ABOVE;
  }, []);
  return (
    <>
      <p class="needs" role="alert">
        <strong>The ticket was changed while you wrote.</strong>{" "}
        Nothing is saved yet, and nothing that you typed is lost.
      </p>
      <div class="both">
        <Text title="Yours" base={base} text={mine} />
        <Text title="In the repo now" base={base} text={theirs} />
      </div>
      <Section
        title="Together"
        note={open === 0 ? "both changes fit" : counted(open, "place needs you", "places need you")}
      >
        {open > 0 && (
          <p class="note">
            Where both changed the same lines, both stand between {"<<<<<<<"} and{" "}
            {">>>>>>>"}: leave what is right, and take the marks out.
          </p>
        )}
        <textarea
          ref={area}
          class="whole-file"
          aria-label="Together"
          dir="auto"
          spellcheck={false}
          rows={Math.min(22, Math.max(12, merged.value.split("\n").length + 1))}
          value={merged.value}
          onInput={(event) => merged.value = event.currentTarget.value}
        />
        <div class="sheet-foot">
          <button type="button" class="button" onClick={onTheirs}>Drop mine</button>
          <button type="button" class="button" disabled={busy} onClick={() => onSave(mine)}>
            Save mine over it
          </button>
          <button
            type="button"
            class="button primary"
            disabled={busy || open > 0}
            onClick={() => onSave(merged.value)}
          >
            Save what is together
          </button>
        </div>
      </Section>
    </>
  );
}

export function FieldConflicts(
  { of, busy, onTheirs, onSave }: {
    readonly of: readonly FieldConflict[];
    readonly busy: boolean;
    onTheirs(): void;
    /** @param taken fields of which the other value stays */
    onSave(taken: readonly (keyof TypedFields)[]): void;
  },
) {
  const taken = useSignal<readonly (keyof TypedFields)[]>([]);
  const take = (name: keyof TypedFields, theirs: boolean) => {
    const others = taken.value.filter((one) => one !== name);
    taken.value = theirs ? [...others, name] : others;
  };
  return (
    <>
      <p class="needs" role="alert">
        <strong>The ticket was changed while you wrote.</strong> {of.length === 0
          ? "What you changed was not touched: it can be saved on top."
          : "Choose for each field what stays."}
      </p>
      {of.map(({ name, mine, theirs }) => (
        <fieldset key={name} class="ways">
          <legend>{FIELD_LABELS[name]}</legend>
          {[{ who: "Yours", text: mine }, { who: "In the repo now", text: theirs }].map(
            ({ who, text }, nth) => (
              <label key={who} class="way">
                <input
                  type="radio"
                  name={name}
                  checked={taken.value.includes(name) === (nth === 1)}
                  onChange={() => take(name, nth === 1)}
                />
                <span>
                  <b>{who}</b> <span class="both-value" dir="auto">{text || "nothing"}</span>
                </span>
              </label>
            ),
          )}
        </fieldset>
      ))}
      <div class="sheet-foot">
        <button type="button" class="button" onClick={onTheirs}>Drop mine</button>
        <button
          type="button"
          class="button primary"
          disabled={busy}
          onClick={() => onSave(taken.value)}
        >
          Save
        </button>
      </div>
    </>
  );
}
