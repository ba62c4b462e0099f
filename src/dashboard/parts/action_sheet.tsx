/** The dialog of an action: what follows from it, what it asks, the diff if it judges one, and its outcome. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import type { Review } from "svc/runtime/views/review_view.ts";
import { act, ServiceRefusal, Unreached } from "svc/dashboard/state/api.ts";
import { draftOf, dropDraft, keepDraft, renameDraft } from "svc/dashboard/state/drafts.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { refresh, useResource } from "svc/dashboard/state/resource.ts";
import { closeSheet, sheet } from "svc/dashboard/state/sheets.ts";
import { Copied, inTerminal } from "./copied.tsx";
import { Dialog } from "./dialog.tsx";
import { Diff } from "./diff.tsx";
import { refusalText } from "./refusal_text.ts";

/** The service takes no more of a text. */
const PERSON_CHARS = 4_000;

type Ask = InboxAction["asks"][number];

function Field({ ask, first, value, onValue }: {
  readonly ask: Ask;
  /** Typing begins here, not at "Close". */
  readonly first: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const label = ask.needed ? ask.label : `${ask.label} (optional)`;
  return (
    <label class="field">
      <span>{label}</span>
      {ask.choices.length > 0
        ? (
          <select
            autofocus={first}
            value={value}
            required={ask.needed}
            onChange={(event) => onValue(event.currentTarget.value)}
          >
            <option value="">{ask.needed ? "Choose" : "As it would be"}</option>
            {ask.choices.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        )
        : (
          <textarea
            autofocus={first}
            rows={4}
            required={ask.needed}
            maxLength={PERSON_CHARS}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )}
    </label>
  );
}

/** What is approved is what is shown: it stays the same while the person reads. */
function Reviewed({ seen, moved, onLook }: {
  readonly seen: Review;
  readonly moved: boolean;
  readonly onLook: () => void;
}) {
  return (
    <div class="review">
      <p class="review-about">
        <span>
          <code>{seen.branch}</code> into <code>{seen.into}</code> at{" "}
          <code>{seen.commit.slice(0, 12)}</code>
        </span>
        <span>{seen.checks === null ? "no check has run on it" : `checks: ${seen.checks}`}</span>
      </p>
      {seen.said !== null && <p class="dim">{seen.said}</p>}
      {moved && (
        <p class="needs" role="alert">
          The branch has moved on since.{" "}
          <button type="button" class="link" onClick={onLook}>Show it as it is now</button>
        </p>
      )}
      <Diff of={seen.diff} cut={seen.diff_cut} />
    </div>
  );
}

function reviewUrl({ repo_id = "", ticket_id = "" }: InboxAction["given"]): string {
  return `/api/review?repo_id=${encodeURIComponent(repo_id)}&ticket_id=${
    encodeURIComponent(ticket_id)
  }`;
}

interface ActionSheetProps {
  readonly card: string;
  readonly title: string;
  readonly action: InboxAction;
  readonly folder: string | undefined;
}

export function ActionSheet(props: ActionSheetProps) {
  return props.action.review ? <ReviewSheet {...props} /> : <PlainSheet {...props} />;
}

function ReviewSheet(props: ActionSheetProps) {
  const review = useResource<Review>(reviewUrl(props.action.given));
  const pinned = useRef<Review | undefined>(undefined);
  const looks = useSignal(0);
  void looks.value; // draws what the person asked for
  const now = review.data.value;
  // At once and not in an effect, which would come after the next answer where the page is slow to paint.
  pinned.current ??= now;
  const seen = pinned.current;
  return (
    <PlainSheet {...props} commit={seen?.commit}>
      {seen === undefined
        ? (
          <p class="dim" role="status">
            {review.fault.value ?? "Reading the diff…"}
          </p>
        )
        : (
          <Reviewed
            seen={seen}
            moved={now !== undefined && now.commit !== seen.commit}
            onLook={() => {
              pinned.current = now;
              looks.value++;
            }}
          />
        )}
    </PlainSheet>
  );
}

/** The command judges what is shown, too; the card may be older. */
const judging = (command: string, commit: string | undefined) =>
  commit === undefined ? command : command.replace(/(?<= --commit )[0-9a-f]+/, commit);

function PlainSheet(
  { card, title, action, folder, commit, children }: ActionSheetProps & {
    readonly commit?: string | undefined;
    readonly children?: preact.ComponentChildren;
  },
) {
  const key = `${card}/${action.id}`;
  const values = useSignal(draftOf(key).values);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const ready =
    action.asks.every(({ field, needed }) =>
      !needed || (values.value[field] ?? "").trim() !== ""
    ) && (!action.review || commit !== undefined);

  const submit = async (event: Event) => {
    event.preventDefault();
    const own = sheet.peek();
    busy.value = true;
    refusal.value = undefined;
    const said = Object.fromEntries(Object.entries(values.value).filter(([, value]) => value));
    const body = {
      ...{ ...action.given, ...said },
      ...(action.review && { commit: commit! }),
      ...(action.once && { request: draftOf(key).request }),
    };
    try {
      const empty = Object.keys(body).length === 0;
      const answer = await act(`/api/${action.operation}`, empty ? undefined : body);
      dropDraft(key);
      closeSheet(own);
      const decision = typeof answer.decision_id === "string" ? answer.decision_id : undefined;
      const undo = answer.undo === null ? undefined : decision;
      const text = typeof answer.said === "string" ? answer.said : `${action.label}: done`;
      notify({ tone: "good", text, ...(undo !== undefined && { undo }) });
      refresh();
    } catch (thrown) {
      refusal.value = thrown instanceof Unreached
        ? "The service does not answer. What you typed is kept; sent again, it is done once"
        : refusalText(thrown);
      if (thrown instanceof ServiceRefusal) {
        if (thrown.status === 409) renameDraft(key); // what came of the name is said now
        refresh();
      }
    }
    busy.value = false;
  };

  return (
    <Dialog title={action.label} size={action.review ? "huge" : "normal"}>
      <form onSubmit={submit}>
        <p class="sheet-subject">{title}</p>
        <p>
          {action.about}. {action.undo !== null && `${action.undo}.`}
        </p>
        {children}
        {action.asks.map((ask, nth) => (
          <Field
            key={ask.field}
            ask={ask}
            first={nth === 0 && !action.review} // a diff is read from its top
            value={values.value[ask.field] ?? ""}
            onValue={(value) => {
              values.value = { ...values.value, [ask.field]: value };
              keepDraft(key, values.value);
            }}
          />
        ))}
        {action.command !== null && (
          <p class="sheet-command">
            {inTerminal(folder)}:{" "}
            <Copied of={judging(action.command, commit)} name={action.label} />
          </p>
        )}
        {refusal.value !== undefined && <p class="fault" role="alert">{refusal.value}</p>}
        <div class="sheet-foot">
          <button type="button" class="button" onClick={() => sheet.value = undefined}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy.value || !ready}>
            {busy.value ? "Asking…" : action.label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
