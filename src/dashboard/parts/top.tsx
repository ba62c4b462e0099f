/** The frame above every page: navigation, the state of the service, and its controls. */
import type { StatusAnswer } from "svc/runtime/views/status_view.ts";
import { logOut } from "svc/dashboard/state/api.ts";
import { connection } from "svc/dashboard/state/events.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { path } from "svc/dashboard/state/place.ts";
import { nextTheme, theme } from "svc/dashboard/state/prefs.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { loggedIn } from "svc/dashboard/state/session.ts";
import { openControl, sheet } from "svc/dashboard/state/sheets.ts";
import { pausedNow } from "svc/dashboard/state/shortcuts.ts";
import { span } from "svc/dashboard/state/words.ts";
import { Icon, type IconName } from "./icon.tsx";

const NAV: readonly (readonly [string, string, IconName])[] = [
  ["/pipeline", "Pipeline", "pipeline"],
  ["/tickets", "Tickets", "tickets"],
  ["/orchestration", "Orchestration", "orchestration"],
  ["/roles", "Roles", "roles"],
  ["/throughput", "Throughput", "throughput"],
  ["/debug", "Debug", "debug"],
  ["/evolution", "Evolution", "evolution"],
];

/** Without a session only the part that everybody may see. */
type ShownStatus = Pick<StatusAnswer, "healthy" | "paused" | "uptime_secs"> & Partial<StatusAnswer>;

function Pulse({ seen }: { readonly seen: ShownStatus | undefined }) {
  const lost = connection.value.state === "lost";
  if (lost) {
    return (
      <span class="pulse lost">
        <Icon name="lost" />Not connected
      </span>
    );
  }
  if (seen === undefined) return <span class="pulse" />;
  if (!seen.healthy) {
    return (
      <span class="pulse bad">
        <Icon name="failing" />Not healthy
      </span>
    );
  }
  const about = `Up ${span(seen.uptime_secs)}`;
  if (seen.paused) {
    return (
      <span class="pulse paused" title={about}>
        <Icon name="pause" />Paused
      </span>
    );
  }
  const active = seen.active_jobs ?? 0;
  if (seen.held !== undefined) {
    return (
      <span class="pulse paused" title={`${about}; ${seen.held}`}>
        <Icon name="waiting" />
        {active > 0 ? `Held, ${active} working` : "Held"}
      </span>
    );
  }
  return (
    <span class={active > 0 ? "pulse on" : "pulse"} title={about}>
      <i class="dot" aria-hidden="true" />
      {active > 0 ? `${active} working` : "Running"}
    </span>
  );
}

const THEME_ICONS = { auto: "half", light: "sun", dark: "moon" } as const;

async function leave(): Promise<void> {
  try {
    await logOut();
  } catch (thrown) {
    notify({ tone: "bad", text: `Cannot log out: ${(thrown as Error).message}` });
  }
}

export function Top() {
  const status = useResource<ShownStatus>("/api/status", { open: true });
  const seen = status.data.value;
  pausedNow.value = seen?.paused === true;
  return (
    <header class="top">
      <a class="brand" href="/pipeline">svc</a>
      <nav class="nav" aria-label="Pages">
        {NAV.map(([href, name, icon]) => (
          <a key={href} href={href} aria-current={path.value === href ? "page" : undefined}>
            <Icon name={icon} />
            <span>{name}</span>
          </a>
        ))}
      </nav>
      <div class="top-side">
        <Pulse seen={seen} />
        {loggedIn.value && (
          <>
            <button
              type="button"
              class="button"
              aria-label={seen?.paused === true ? "Resume" : "Pause"}
              disabled={seen === undefined}
              onClick={() => openControl(seen?.paused === true ? "resume" : "pause")}
            >
              <Icon name={seen?.paused === true ? "play" : "pause"} />
              <span class="phone-hide">{seen?.paused === true ? "Resume" : "Pause"}</span>
            </button>
            <button
              type="button"
              class="button"
              aria-label="Controls"
              onClick={() => sheet.value = { kind: "controls" }}
            >
              <Icon name="controls" />
              <span class="phone-hide">Controls</span>
            </button>
          </>
        )}
        {loggedIn.value && (
          <IconButton
            icon="find"
            label="Find (Ctrl K)"
            onClick={() => sheet.value = { kind: "palette" }}
          />
        )}
        <IconButton
          icon={THEME_ICONS[theme.value]}
          label={`Theme: ${theme.value}`}
          onClick={nextTheme}
        />
        <IconButton
          icon="keyboard"
          label="Keys"
          hide
          onClick={() => sheet.value = { kind: "help" }}
        />
        {loggedIn.value && <IconButton icon="out" label="Log out" onClick={() => void leave()} />}
      </div>
    </header>
  );
}

function IconButton(
  { icon, label, onClick, hide }: {
    readonly icon: IconName;
    readonly label: string;
    readonly hide?: boolean;
    onClick(): void;
  },
) {
  return (
    <button
      type="button"
      class={hide === true ? "icon-button phone-hide" : "icon-button"}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
