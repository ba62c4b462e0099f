/** The login form, on its own page or in place of a page that needs a session. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { refusalText } from "svc/dashboard/parts/refusal_text.ts";
import { findSession, joinSession, logIn, ServiceRefusal } from "svc/dashboard/state/api.ts";
import { focusMain } from "svc/dashboard/state/place.ts";
import { keepPref, keptPref } from "svc/dashboard/state/prefs.ts";
import { locked, session } from "svc/dashboard/state/session.ts";

const WHY = {
  never: "What the agents do and the controls are for people who know the control secret.",
  ended: "Your session has ended. Log in to go on where you were.",
  left: "You are logged out. This browser keeps nothing of what was shown.",
} as const;

function Form({ because }: { readonly because: keyof typeof WHY }) {
  const secret = useRef<HTMLInputElement>(null);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  useEffect(() => secret.current?.focus(), []);
  useEffect(() => {
    // A second login would end the one that another tab has made.
    const join = () => void (document.visibilityState === "visible" && joinSession());
    const events = ["focus", "visibilitychange"] as const;
    for (const name of events) addEventListener(name, join);
    return () => {
      for (const name of events) removeEventListener(name, join);
    };
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    refusal.value = undefined;
    try {
      await logIn(secret.current?.value ?? "");
      focusMain();
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal && thrown.status === 503) locked(thrown.message);
      else refusal.value = refusalText(thrown);
      if (secret.current !== null) secret.current.value = "";
      secret.current?.focus();
    }
    busy.value = false;
  };
  return (
    <form class="login" onSubmit={submit}>
      <h1>Log in</h1>
      <p>{WHY[because]}</p>
      <label class="field">
        <span>Control secret</span>
        <input
          ref={secret}
          type="password"
          name="secret"
          autocomplete="current-password"
          required
          aria-describedby="secret-about"
        />
      </label>
      <p id="secret-about" class="note">
        The value of <code>SVC_DASHBOARD_CONTROL_SECRET</code>{" "}
        in the environment of the running service. It is sent once, to this service alone.
      </p>
      {refusal.value !== undefined && <p class="fault" role="alert">{refusal.value}</p>}
      <button type="submit" class="button primary" disabled={busy.value}>
        {busy.value ? "Asking…" : "Log in"}
      </button>
    </form>
  );
}

/** `svc start` or `svc serve`, as the service says which was run. */
const commandIn = (text: string) => /svc (?:start|serve)\b/.exec(text)?.[0];

const setASecret = (command: string) =>
  `eval "$(svc dashboard secret)"
echo "$SVC_DASHBOARD_CONTROL_SECRET"
${command}`;

function Locked({ why }: { readonly why: string }) {
  const command = commandIn(why) ?? "svc start";
  useEffect(() => keepPref("command", command), [command]);
  return (
    <div class="login">
      <h1>Nobody can log in yet</h1>
      <p>
        <code>{command}</code>{" "}
        was run without a control secret of at least 32 bytes. Stop it, and in its terminal set a
        new one, which you then log in with:
      </p>
      <pre class="command">{setASecret(command)}</pre>
      <button type="button" class="button" onClick={() => void findSession()}>Look again</button>
    </div>
  );
}

function Unreached() {
  const known = commandIn(keptPref("command") ?? "");
  return (
    <div class="login">
      <h1>The service does not answer</h1>
      <p>It may have been stopped. Start it where it ran, then look again:</p>
      <pre class="command">{known ?? "svc start   # or: svc serve"}</pre>
      <button type="button" class="button primary" onClick={() => void findSession()}>
        Look again
      </button>
    </div>
  );
}

export function Gate() {
  const state = session.value;
  useEffect(() => {
    document.title = "Log in · svc";
  }, []);
  if (state.kind === "locked") return <Locked why={state.why} />;
  if (state.kind === "unreached") return <Unreached />;
  if (state.kind === "out") return <Form key={state.because} because={state.because} />;
  return null;
}
