/** Follows what needs a person on every page, and the switch that lets the desktop tell of it. */
import { useEffect } from "preact/hooks";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { forgetSeen, notifyState, switchNotify, tell } from "svc/dashboard/state/notify.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { loggedIn } from "svc/dashboard/state/session.ts";

function Following() {
  const { value } = useResource<Pipeline>("/api/pipeline").data;
  useEffect(() => {
    if (value !== undefined) tell(value);
  }, [value]);
  useEffect(() => forgetSeen, []);
  return null;
}

export function Notifier() {
  return loggedIn.value && notifyState() === "on" ? <Following /> : null;
}

export function NotifySwitch() {
  const state = notifyState();
  if (state === "none") return null;
  return (
    <button
      type="button"
      class="button notify"
      aria-pressed={state === "on"}
      disabled={state === "blocked"}
      title={state === "blocked"
        ? "This browser blocks notifications for this address"
        : "While a page of this dashboard is open, your desktop tells when something new needs you: by the ticket's id and title"}
      onClick={() => void switchNotify()}
    >
      {state === "on"
        ? "Notifications on"
        : state === "blocked"
        ? "Notifications blocked"
        : "Notify me"}
    </button>
  );
}
