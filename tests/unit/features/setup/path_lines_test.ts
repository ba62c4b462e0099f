import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { pathLines, sourceLine } from "svc/features/setup/path_lines.ts";

const HOME = "/home/ada";

Deno.test("pathLines writes a folder below the home as $HOME", () => {
  assert.deepEqual(pathLines("bash", "/home/ada/.local/bin", HOME), [
    'case ":${PATH-}:" in',
    '  *:"$HOME/.local/bin":*) ;;',
    '  *) export PATH="$HOME/.local/bin${PATH:+:$PATH}" ;;',
    "esac",
  ]);
  assert.deepEqual(pathLines("fish", "/home/ada/bin", HOME), [
    'contains -- "$HOME/bin" $PATH; or set -gx PATH "$HOME/bin" $PATH',
  ]);
  assert.equal(pathLines("tcsh", "/home/ada/bin", HOME)[1], `set svc_dir = "$home"'/bin'`);
  assert.equal(pathLines("csh", HOME, HOME)[1], 'set svc_dir = "$home"');
});

Deno.test("pathLines leaves a folder whole that only starts like the home", () => {
  assert.match(pathLines("zsh", "/home/ada2/bin", HOME).join(), /"\/home\/ada2\/bin"/);
  assert.match(pathLines("zsh", "/opt/bin", "/").join(), /"\/opt\/bin"/);
});

Deno.test("pathLines quotes what each shell would expand", () => {
  const folder = "/o'p\"t/$x `y` \\ !z";
  assert.match(pathLines("sh", folder, HOME)[1]!, /\*:"\/o'p\\"t\/\\\$x \\`y\\` \\\\ !z":\*/);
  assert.match(pathLines("fish", folder, HOME)[0]!, /-- "\/o'p\\"t\/\\\$x `y` \\\\ !z" \$PATH;/);
  assert.equal(
    pathLines("csh", folder, HOME)[1],
    `set svc_dir = '/o'\\''p"t/$x \`y\` '\\\\' '\\!'z'`,
  );
});

Deno.test("pathLines refuses a folder that PATH cannot hold", () => {
  for (const folder of ["/a:b", "/a\nb", "/a\rb", "/a\u{FFFD}"]) {
    assert.throws(() => pathLines("sh", folder, HOME), (thrown) => {
      assert.ok(thrown instanceof Failure);
      assert.deepEqual([thrown.code, thrown.detail.remedy !== undefined], ["usage", true]);
      return thrown.message.startsWith('Cannot put "/a');
    });
  }
});

Deno.test("sourceLine is short where it can be", () => {
  assert.equal(sourceLine("bash", "/home/ada/.bashrc", HOME), ". ~/.bashrc");
  assert.equal(sourceLine("csh", "/home/ada/.cshrc", HOME), "source ~/.cshrc");
  assert.equal(sourceLine("zsh", "/home/ada/a b/.zshrc", HOME), '. "$HOME/a b/.zshrc"');
  assert.equal(sourceLine("fish", "/x/svc.fish", HOME), 'source "/x/svc.fish"');
});
