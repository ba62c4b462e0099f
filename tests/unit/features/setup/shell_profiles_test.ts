import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import {
  detectShell,
  type Shell,
  SHELLS,
  startupsOf,
  userHome,
} from "svc/features/setup/shell_profiles.ts";

function env(values: Readonly<Record<string, string>>) {
  return { get: (name: string) => values[name] };
}

/** One text for each place, `?` for a file that is never made. */
function places(shell: Shell, values: Readonly<Record<string, string>> = {}): string[] {
  return startupsOf(shell, { home: "/h", env: env(values) })
    .map(({ candidates, ifExists }) => candidates.join(" ") + (ifExists ? "?" : ""));
}

Deno.test("startupsOf names the files that each shell reads", () => {
  assert.deepEqual(Object.fromEntries(SHELLS.map((shell) => [shell, places(shell)])), {
    fish: ["/h/.config/fish/conf.d/svc.fish"],
    zsh: ["/h/.zprofile", "/h/.zshrc"],
    bash: ["/h/.bash_profile /h/.bash_login /h/.profile", "/h/.bashrc"],
    sh: ["/h/.profile"],
    ksh: ["/h/.profile", "/h/.mkshrc?", "/h/.kshrc"],
    csh: ["/h/.tcshrc?", "/h/.cshrc"],
    tcsh: ["/h/.tcshrc /h/.cshrc"],
  });
});

Deno.test("startupsOf follows the variables that move files", () => {
  assert.deepEqual(places("zsh", { ZDOTDIR: "/z/" }), ["/z/.zprofile", "/z/.zshrc"]);
  assert.deepEqual(places("fish", { XDG_CONFIG_HOME: "/c" }), ["/c/fish/conf.d/svc.fish"]);
  assert.deepEqual(places("zsh", { ZDOTDIR: "z" }), ["/h/.zprofile", "/h/.zshrc"]);
  for (const ENV of ["/h/.shrc", "$HOME/.shrc", "${HOME}/.shrc"]) {
    assert.deepEqual(places("sh", { ENV }), ["/h/.profile", "/h/.shrc"]);
    assert.deepEqual(places("ksh", { ENV }), ["/h/.profile", "/h/.shrc"]);
  }
  for (const ENV of ["/etc/shrc", "$HOMES/x", "$HOME/$x", "/h2/x"]) {
    assert.deepEqual(places("ksh", { ENV }), ["/h/.profile"]);
  }
  assert.deepEqual(places("ksh", { ENV: "", SHELL: "/bin/mksh" }), ["/h/.profile", "/h/.mkshrc"]);
});

Deno.test("detectShell reads the name of the program in SHELL", () => {
  const named = (SHELL: string) => detectShell(env({ SHELL }));
  for (const shell of SHELLS) assert.equal(named(`/usr/bin/${shell}`), shell);
  assert.deepEqual(["/bin/dash", "mksh", "/bin/bsd-csh"].map(named), ["sh", "ksh", "csh"]);
});

Deno.test("detectShell asks for the flag when it cannot tell", () => {
  const cases = [
    [{}, "SHELL is not set"],
    [{ SHELL: "/usr/bin/nu" }, 'SHELL is "/usr/bin/nu"'],
    [{ SHELL: "/bin/toString" }, 'SHELL is "/bin/toString"'],
  ] as const;
  for (const [values, why] of cases) {
    assert.throws(() => detectShell(env(values)), (thrown) => {
      assert.ok(thrown instanceof Failure);
      assert.equal(thrown.message, `Cannot tell which shell to set up: ${why}`);
      return thrown.code === "answer_needed" && /--shell fish\|/.test(thrown.detail.remedy!);
    });
  }
});

Deno.test("userHome is HOME without a slash at its end", () => {
  assert.equal(userHome(env({ HOME: "/home/ada/" })), "/home/ada");
  assert.equal(userHome(env({ HOME: "/" })), "/");
  for (const HOME of ["", "ada"]) assert.throws(() => userHome(env({ HOME })), Failure);
});
