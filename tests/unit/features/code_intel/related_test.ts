import assert from "node:assert/strict";
import { codeRelated } from "svc/features/tools/code_related.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

/** What `code_related` says of each path, on one line. */
async function related(
  files: Readonly<Record<string, string>>,
  ...paths: readonly string[]
): Promise<string[]> {
  await using at = await toolPlace({ files });
  const said: string[] = [];
  for (const path of paths) {
    const { text } = await at.call(codeRelated, { path });
    said.push(text.replaceAll(/\n\s*/g, " "));
  }
  return said;
}

Deno.test("a use of Rust that names several modules leads to each, from a crate of its own to the library too", async () => {
  const files = {
    "src/lib.rs":
      "mod cart;\nmod tax;\nuse crate::{cart::Cart, tax::{self, Rate}};\nuse std::io;\n",
    "src/main.rs": "mod cart;\nuse cart::Cart;\nuse price_core::Money;\n",
    "src/cart.rs": "use crate::{\n    tax::Rate,\n};\npub struct Cart;\n",
    "src/tax.rs": "pub struct Rate;\n",
    "src/io.rs": "",
    "tests/it.rs": "mod common;\nuse shop::cart::Cart;\n",
    "tests/common/mod.rs": "pub fn set_up() {}\n",
    "crates/price-core/src/lib.rs": "pub struct Money;\n",
  };
  assert.deepEqual(await related(files, "src/lib.rs", "src/main.rs", "tests/it.rs", "src/tax.rs"), [
    'Imports: src/cart.rs (as "cart") src/tax.rs (as "tax") Imports from elsewhere: std::io',
    'Imports: crates/price-core/src/lib.rs (as "price_core::Money") src/cart.rs (as "cart")',
    'Imports: src/cart.rs (as "shop::cart::Cart") tests/common/mod.rs (as "common")',
    'Imported by: src/cart.rs (as "crate::tax::Rate") src/lib.rs (as "tax")',
  ]);
});

Deno.test("deep and broken lists of Rust end the search for names soon", async () => {
  const files = {
    "src/lib.rs": `use a::${"{b::".repeat(500)}c${"}".repeat(500)};\nuse crate::{cart,\n`,
    "src/cart.rs": "",
  };
  const [said] = await related(files, "src/lib.rs");
  assert.match(said!, /^(?:Imports|Nothing)/);
});

Deno.test("an import of what comes with Python or Ruby is no file beside of that name", async () => {
  const files = {
    "shop/__init__.py": "",
    "shop/app.py": "import typing as t\nfrom json import dumps\nfrom . import (\n    logging,\n)\n",
    "shop/typing.py": "",
    "shop/json.py": "",
    "shop/logging.py": "import logging\n",
    "lib/shop/main.rb": 'require "json"\nrequire_relative "time"\n',
    "lib/shop/json.rb": "",
    "lib/shop/time.rb": "",
    "spec/models/cart_spec.rb": 'require "spec_helper"\n',
    "spec/spec_helper.rb": "",
  };
  const paths = ["shop/app.py", "shop/logging.py", "lib/shop/main.rb", "spec/models/cart_spec.rb"];
  assert.deepEqual(await related(files, ...paths), [
    'Imports: shop/logging.py (as ". (logging)") Imports from elsewhere: typing, json',
    'Imports from elsewhere: logging Imported by: shop/app.py (as ". (logging)")',
    'Imports: lib/shop/time.rb (as "time") Imports from elsewhere: json',
    'Imports: spec/spec_helper.rb (as "spec_helper")',
  ]);
});

Deno.test("grouped uses of PHP, headers in quotes and a package's own imports lead to files of the repo", async () => {
  const files = {
    "src/Http/Page.php": "<?php\nuse App\\Models\\{Cart, Line as L};\nclass Page {}\n",
    "src/Models/Cart.php": "<?php\nnamespace App\\Models;\nclass Cart {}\n",
    "src/Models/Line.php": "<?php\nnamespace App\\Models;\nclass Line {}\n",
    "lib/main.cpp": '#include "tax.h"\n#include <string.h>\n',
    "inc/shop/tax.h": "int tax();\n",
    "inc/shop/string.h": "",
    "app/page.ts": 'import { cart } from "#lib/cart";\n',
    "packages/shop/lib/cart.ts": "export const cart = 1;\n",
  };
  const paths = ["src/Http/Page.php", "src/Models/Line.php", "lib/main.cpp", "app/page.ts"];
  assert.deepEqual(await related(files, ...paths), [
    'Imports: src/Models/Cart.php (as "App\\Models (Cart)") src/Models/Line.php (as "App\\Models (Line)")',
    'Imported by: src/Http/Page.php (as "App\\Models (Line)")',
    'Imports: inc/shop/tax.h (as "tax.h") Imports from elsewhere: <string.h>',
    'Imports: packages/shop/lib/cart.ts (as "#lib/cart")',
  ]);
});

Deno.test("whole packages of Java, TypeScript's import of require and the shell's dot are imports", async () => {
  const files = {
    "src/org/shop/Cart.java": "import org.shop.price.*;\nimport java.util.*;\nclass Cart {}\n",
    "src/org/shop/price/Tax.java": "package org.shop.price;\nclass Tax {}\n",
    "src/java/util/Own.java": "class Own {}\n",
    "web/a.ts": 'import util = require("./util");\n',
    "web/util.ts": "export {};\n",
    "run.sh": ". ./shared.sh\n",
    "shared.sh": "",
  };
  const paths = ["src/org/shop/Cart.java", "src/org/shop/price/Tax.java", "web/a.ts", "shared.sh"];
  assert.deepEqual(await related(files, ...paths), [
    'Imports: src/org/shop/price/Tax.java (as "org.shop.price") Imports from elsewhere: java.util',
    'Imported by: src/org/shop/Cart.java (as "org.shop.price")',
    'Imports: web/util.ts (as "./util")',
    'Imported by: run.sh (as "./shared.sh")',
  ]);
});
