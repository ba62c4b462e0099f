/** A card of the pipeline: what it is, why it is in its zone, since when, and what mends it. */
import type { Card } from "svc/runtime/views/card.ts";
import { connection } from "svc/dashboard/state/events.ts";
import { jobHref, ticketHref } from "svc/dashboard/state/place.ts";
import { amount } from "svc/dashboard/state/words.ts";
import { CardActions } from "./card_actions.tsx";
import { Age } from "./facts.tsx";
import { Question } from "./question.tsx";
import { Icon } from "./icon.tsx";
import { useKeptFocus } from "./kept_focus.ts";

/** What is held back names no job: those that failed say why. */
const failedHref = (repo: string, role: string | null) =>
  `/debug?${new URLSearchParams({
    view: "jobs",
    status: "failed",
    ...(role !== null && { repo, role }),
  })}`;

const hrefOf = ({ ticket_id, repo_id, job_id, key, role }: Card) =>
  ticket_id !== null
    ? ticketHref(repo_id, ticket_id)
    : job_id !== null
    ? jobHref(job_id)
    : key.startsWith("lane:")
    ? failedHref(repo_id, role)
    : undefined;

function Progress({ card }: { readonly card: Card }) {
  if (card.turn === null) return null;
  return (
    <p class="card-step">
      {card.max_turns !== null && card.max_turns > 0 && (
        <progress
          value={card.turn}
          max={card.max_turns}
          aria-label={`Turn ${card.turn} of at most ${card.max_turns}`}
        />
      )}
      <span>
        turn {card.turn}
        {card.max_turns !== null && ` of ${card.max_turns}`}
        {card.tokens !== null && ` · ${amount(card.tokens)} tokens`}
      </span>
      {card.step !== null && <span class="mono card-now">{card.step}</span>}
    </p>
  );
}

export function CardItem({ card, repos }: { readonly card: Card; readonly repos: boolean }) {
  const href = hrefOf(card);
  const ref = useKeptFocus<HTMLLIElement>();
  const lost = connection.value.state === "lost" && card.zone === "working";
  const about = [
    repos && card.repo,
    card.ticket_id,
    card.ticket_state,
    card.priority,
    card.model,
  ].filter((part): part is string => typeof part === "string" && part !== "");
  return (
    <li ref={ref} class={`card tone-${card.zone}`} data-item>
      <Icon name={card.zone} />
      <div class="card-body">
        <p class="card-title" dir="auto">
          {href === undefined ? card.title : <a href={href}>{card.title}</a>}
        </p>
        {card.question !== null && card.ticket_id !== null
          ? <Question of={card.question} repo={card.repo_id} ticket={card.ticket_id} />
          : <p class="card-why">{lost && "Last seen: "}{card.why}</p>}
        {card.action !== null && card.question === null && <p class="card-action">{card.action}</p>}
        <CardActions
          of={card}
          answers={card.question !== null && card.ticket_id !== null}
          repos={repos}
        />
        <Progress card={card} />
        <p class="card-about">
          {about.map((part) => <span key={part}>{part}</span>)}
          {card.role !== null && (card.job_id === null
            ? <span>{card.role}</span>
            : <a href={jobHref(card.job_id)}>{card.role}</a>)}
        </p>
      </div>
      <Age at={card.since} />
    </li>
  );
}
