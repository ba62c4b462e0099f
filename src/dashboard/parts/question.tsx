/** What a role asks: its choices and reason, and the way to answer it. */
import type { Card } from "svc/runtime/views/card.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";

type Asked = NonNullable<Card["question"]>;

export function Question(
  { of, repo, ticket }: { readonly of: Asked; readonly repo: string; readonly ticket: string },
) {
  const asked = `${of.role} asks: ${of.asked}`;
  const answer = (text?: string) => {
    const given = {
      ...{ repo_id: repo, ticket_id: ticket, job_id: of.job_id },
      ...(text !== undefined && { answer: text }),
    };
    openControl("answer-ticket", given, asked); // the dialog may cover the card, and does on a phone
  };
  return (
    <div class="question">
      <p class="question-asked">{asked}</p>
      {of.why !== "" && <p class="question-why">{of.why}</p>}
      <p class="question-ways">
        {of.choices.map((choice) => (
          <button
            key={choice}
            type="button"
            class="button"
            onClick={() => answer(choice)}
          >
            {choice}
          </button>
        ))}
        <button type="button" class="button primary" data-act onClick={() => answer()}>
          Answer {ticket}
          <kbd aria-hidden="true">1</kbd>
        </button>
      </p>
    </div>
  );
}
