/** What settles a card: buttons for what svc does, commands for what a person does in a terminal. */
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import type { Card } from "svc/runtime/views/card.ts";
import { openAction } from "svc/dashboard/state/sheets.ts";
import { Copied, inTerminal } from "./copied.tsx";

/** Those with a key of their own (`shortcuts.ts`). */
const KEYED = 4;

/** @param at counts all buttons of the card, as their keys do */
function Way({ card, folder, action, at }: {
  readonly card: Card;
  readonly folder: string | undefined;
  readonly action: InboxAction;
  readonly at: number;
}) {
  const main = at === 0 ? "button primary" : "button";
  const key = at < KEYED ? <kbd aria-hidden="true">{at + 1}</kbd> : null;
  const shortcut = at < KEYED ? String(at + 1) : undefined;
  if (action.href !== null) {
    return (
      <a
        class={main}
        href={action.href}
        rel="noreferrer noopener"
        target="_blank"
        data-act
        aria-keyshortcuts={shortcut}
      >
        {action.label}
        {key}
      </a>
    );
  }
  return (
    <button
      type="button"
      class={main}
      data-act
      aria-keyshortcuts={shortcut}
      onClick={() => openAction({ card: card.key, title: card.title, action, folder })}
    >
      {action.label}
      {key}
    </button>
  );
}

/**
 * @param answers the question above has the buttons of the answer
 * @param repos there are several: a command works on the one that it is typed in, and ids of tickets are alike
 */
export function CardActions({ of, answers, repos }: {
  readonly of: Card;
  readonly answers: boolean;
  readonly repos: boolean;
}) {
  const folder = repos && of.repo !== "" ? of.repo : undefined;
  const shown = of.actions.filter(({ id }) => !(answers && id === "answer"));
  const ways = shown.filter(({ operation, href }) => operation !== null || href !== null);
  const byHand = shown.filter(({ operation, href }) => operation === null && href === null);
  const commands = of.actions.filter(({ operation, command }) =>
    operation !== null && command !== null
  );
  if (of.actions.length === 0) return null;
  return (
    <div class="card-ways">
      {byHand.length > 0 && folder !== undefined && <p class="dim">In the folder of {folder}:</p>}
      {byHand.map(({ id, label, about, command }) => (
        <p key={id} class="way-by-hand" title={about}>
          <span>{label}</span>
          {command !== null && <Copied of={command} name={label} />}
        </p>
      ))}
      <div class="way-buttons">
        {ways.map((action, nth) => (
          <Way
            key={action.id}
            card={of}
            folder={folder}
            action={action}
            at={answers ? nth + 1 : nth}
          />
        ))}
      </div>
      {commands.length > 0 && (
        <details class="way-commands">
          <summary>{inTerminal(folder)}</summary>
          <ul>
            {commands.map(({ id, label, command }) => (
              <li key={id}>
                <span>{label}</span>
                <Copied of={command!} name={label} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
