/** Results of controls, told to readers of words too, and the loss of the connection. */
import { link, reconnect } from "svc/dashboard/state/events.ts";
import { now } from "svc/dashboard/state/clock.ts";
import { dismiss, notices } from "svc/dashboard/state/notices.ts";
import { clockTime, exact, span } from "svc/dashboard/state/words.ts";
import { Icon } from "./icon.tsx";

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text, link: more }) => (
        <div key={id} class={`notice ${tone}`}>
          <Icon name={tone === "good" ? "done" : "failing"} />
          <p>
            {text}
            {more !== undefined && <a href={more.href}>{more.text}</a>}
          </p>
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Above the page for as long as nothing is heard from the service. */
export function LostLink() {
  const state = link.value;
  const wait = state.state === "lost" ? Math.ceil((state.retryAt - now.value) / 1000) : 0;
  return (
    <div role="alert">
      {state.state === "lost" && (
        <div class="lost-link">
          <Icon name="lost" />
          <p>
            <strong>{state.why ?? "Connection lost"}.</strong> What you see is as of{" "}
            <time title={exact(state.since)}>{clockTime(state.since)}</time> and may have changed.
            <span aria-hidden="true">
              {wait > 0 ? ` Trying again in ${span(wait)}.` : " Trying again…"}
            </span>
          </p>
          <button type="button" class="button" onClick={reconnect}>Try now</button>
        </div>
      )}
    </div>
  );
}
