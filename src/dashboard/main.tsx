/** Starts the dashboard in the shell that the service sent. */
import "./state/language.ts"; // before all that asks for the language
import { render } from "preact";
import { App } from "./app.tsx";
import { findSession } from "./state/api.ts";
import { startClock } from "./state/clock.ts";
import { startUnsaved } from "./state/unsaved.ts";
import { startEvents } from "./state/events.ts";
import { startNotify } from "./state/notify.ts";
import { startPlace } from "./state/place.ts";
import { startPrefs } from "./state/prefs.ts";
import { startResources } from "./state/resource.ts";
import { startShortcuts } from "./state/shortcuts.ts";
import { startUpgrade } from "./state/upgrade.ts";

const root = document.getElementById("app")!;
startPrefs();
startPlace();
startClock();
startShortcuts();
startUnsaved();
startResources();
startEvents();
startNotify();
void startUpgrade();
await findSession();
root.replaceChildren();
render(<App />, root);
