/** The whole of what is drawn: the frame, the page of this address, and what lies above it. */
import { useEffect } from "preact/hooks";
import { link } from "svc/dashboard/state/events.ts";
import { asked, go, isPage, path } from "svc/dashboard/state/place.ts";
import { session } from "svc/dashboard/state/session.ts";
import { sheet } from "svc/dashboard/state/sheets.ts";
import { AllControls, ControlSheet } from "./parts/control_sheet.tsx";
import { HelpSheet } from "./parts/help_sheet.tsx";
import { LostLink, Notices } from "./parts/notices.tsx";
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

const PAGE_OF: Readonly<Record<string, () => preact.JSX.Element>> = {
  "/pipeline": PipelinePage,
  "/orchestration": OrchestrationPage,
  "/roles": RolesPage,
  "/throughput": ThroughputPage,
  "/debug": DebugPage,
  "/evolution": EvolutionPage,
  "/job": JobPage,
  "/ticket": TicketPage,
};

/** Where a login leads: back to where it was asked for, on this site only. */
function afterLogin(): string {
  const next = new URL(asked("next") || "/pipeline", location.origin);
  return isPage(next) && next.pathname !== "/login" ? next.pathname + next.search : "/pipeline";
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

function Sheets() {
  const open = sheet.value;
  if (open === undefined) return null;
  if (open.kind === "help") return <HelpSheet />;
  if (open.kind === "controls") return <AllControls />;
  return <ControlSheet key={open.key} of={open.key} given={open.given} />;
}

export function App() {
  return (
    <>
      <a class="skip" href="#main">Skip to content</a>
      <Top />
      <main id="main" tabIndex={-1} class={link.value.state === "lost" ? "stale" : ""}>
        <LostLink />
        <Shown />
      </main>
      <Notices />
      <Sheets />
    </>
  );
}
