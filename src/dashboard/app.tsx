/** Everything that is drawn: the frame, the page of this address, and dialogs and notices above it. */
import { useEffect, useRef } from "preact/hooks";
import { now } from "svc/dashboard/state/clock.ts";
import { connection, reconnect } from "svc/dashboard/state/events.ts";
import { dismiss, type Notice, notices } from "svc/dashboard/state/notices.ts";
import { asked, go, isPage, path } from "svc/dashboard/state/place.ts";
import { keysOn } from "svc/dashboard/state/prefs.ts";
import { session } from "svc/dashboard/state/session.ts";
import { type Sheet, sheet } from "svc/dashboard/state/sheets.ts";
import { SHORTCUTS } from "svc/dashboard/state/shortcuts.ts";
import { clockTime, exact, span } from "svc/dashboard/state/words.ts";
import { ActionSheet } from "./parts/action_sheet.tsx";
import { AllControls, ControlSheet } from "./parts/control_sheet.tsx";
import { takeBack } from "./parts/decided.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Keys } from "./parts/facts.tsx";
import { Icon } from "./parts/icon.tsx";
import { useKeptFocus } from "./parts/kept_focus.ts";
import { MoveSheet } from "./parts/move_sheet.tsx";
import { NewTicketSheet } from "./parts/new_ticket.tsx";
import { Palette } from "./parts/palette.tsx";
import { Notifier } from "./parts/notifier.tsx";
import { Top } from "./parts/top.tsx";
import { DebugPage } from "./pages/debug.tsx";
import { EvolutionPage } from "./pages/evolution.tsx";
import { JobPage } from "./pages/job.tsx";
import { Gate } from "./pages/login.tsx";
import { OrchestrationPage } from "./pages/orchestration.tsx";
import { PipelinePage } from "./pages/pipeline.tsx";
import { RolesPage } from "./pages/roles.tsx";
import { ThroughputPage } from "./pages/throughput.tsx";
import { TicketPage } from "./pages/ticket.tsx";
import { TicketsPage } from "./pages/tickets.tsx";

function NoticeItem({ of: { id, tone, text, link, undo } }: { readonly of: Notice }) {
  const ref = useKeptFocus<HTMLDivElement>();
  return (
    <div ref={ref} class={`notice ${tone}`}>
      <Icon name={tone === "good" ? "done" : "failing"} />
      <p>
        {text}
        {link !== undefined && <a href={link.href}>{link.text}</a>}
        {undo !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => {
              dismiss(id);
              void takeBack(undo);
            }}
          >
            Undo
          </button>
        )}
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
  );
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((one) => <NoticeItem key={one.id} of={one} />)}
    </div>
  );
}

function LostLink() {
  const state = connection.value;
  const wait = state.state === "lost" ? Math.ceil((state.retryAt - now.value) / 1000) : 0;
  return (
    <div role="alert">
      {state.state === "lost" && (
        <div class="lost-link">
          <Icon name="lost" />
          <p>
            <strong>{state.why ?? "Connection lost"}.</strong> What you see is as of{" "}
            <time dateTime={new Date(state.since).toISOString()} title={exact(state.since)}>
              {clockTime(state.since, now.value)}
            </time>{" "}
            and may have changed.
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

function HelpSheet() {
  return (
    <Dialog title="Keys" wide>
      <div class="help">
        {Object.entries(SHORTCUTS).map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {shortcuts.map(({ keys, about }) => (
                <li key={about}>
                  <span>{about}</span>
                  <Keys keys={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={keysOn.value}
          onChange={(event) => keysOn.value = event.currentTarget.checked}
        />
        Single keys are shortcuts in this browser
      </label>
    </Dialog>
  );
}

const PAGE_OF: Readonly<Record<string, () => preact.JSX.Element>> = {
  "/pipeline": PipelinePage,
  "/tickets": TicketsPage,
  "/orchestration": OrchestrationPage,
  "/roles": RolesPage,
  "/throughput": ThroughputPage,
  "/debug": DebugPage,
  "/evolution": EvolutionPage,
  "/job": JobPage,
  "/ticket": TicketPage,
};

/** After a login, the page it was asked for on, on this site only. */
function afterLogin(): string {
  const next = URL.parse(asked("next") || "/pipeline", location.origin);
  return next !== null && isPage(next) && next.pathname !== "/login"
    ? next.pathname + next.search
    : "/pipeline";
}

function Leave() {
  useEffect(() => go(afterLogin(), "replace"), []);
  return null;
}

function Shown() {
  if (session.value.kind !== "in") return <Gate />;
  if (path.value === "/login") return <Leave />;
  const Page = PAGE_OF[path.value] ?? PipelinePage;
  return <Page key={path.value} />;
}

function SheetOf({ open }: { readonly open: Sheet }) {
  if (open.kind === "help") return <HelpSheet />;
  if (open.kind === "controls") return <AllControls />;
  if (open.kind === "action") {
    return <ActionSheet {...open} />;
  }
  if (open.kind === "palette") return <Palette />;
  if (open.kind === "move") return <MoveSheet ticket={open.ticket} to={open.to} />;
  if (open.kind === "new-ticket") return <NewTicketSheet />;
  return <ControlSheet of={open.key} given={open.given} question={open.question} />;
}

function Sheets() {
  const open = sheet.value;
  // Each opening is a dialog of its own: the browser may still have to tell that the last one closed.
  const last = useRef({ open, nth: 0 });
  if (last.current.open !== open) last.current = { open, nth: last.current.nth + 1 };
  // Where the session has ended, a dialog would stand before the login; it comes back after it.
  const shut = session.value.kind !== "in" && open?.kind !== "help";
  return open === undefined || shut ? null : <SheetOf key={last.current.nth} open={open} />;
}

export function App() {
  return (
    <>
      <a class="skip" href="#main">Skip to content</a>
      <Top />
      <main id="main" tabIndex={-1} class={connection.value.state === "lost" ? "stale" : ""}>
        <LostLink />
        <Shown />
      </main>
      <Notifier />
      <Notices />
      <Sheets />
    </>
  );
}
