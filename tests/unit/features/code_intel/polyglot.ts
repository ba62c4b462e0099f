/** A small repo in many languages; each file defines `total` or `Total` in the way of its language. */

export const POLYGLOT: Readonly<Record<string, string>> = {
  "web/cart.ts": `import { format } from "./format.js";
import type { Price } from "./price";
import { z } from "zod";
export const LIMIT = 10;
export enum Size { Small }
export interface Line { price: Price; total(): number }
export type Lines = Line[];
export abstract class Cart {
  constructor(private lines: Lines) {}
  // total of the lines
  total(): number {
    const inner = () => 1;
    return this.lines.length + inner();
  }
  abstract empty(): void;
}
export const show = (cart: Cart) => format(\`total: \${cart.total()}\`);
export function* walk() {}
namespace Deep { export function dig() {} }
`,
  "web/format.ts": `export function format(text: string) { return "total " + text; }\n`,
  "web/price/index.ts": `export interface Price { cents: number }\n`,
  "web/cart.test.ts": `import { Cart } from "./cart.ts";\nnew Cart([]);\n`,
  "web/view.tsx": `import { show } from "@/web/cart";
export function View() { return <p>{show(null)}</p>; }
`,
  "web/old.js": `const { helper } = require("./legacy");
class Old { run() {} }
module.exports.start = function () {};
var total = 1;
`,
  "web/legacy.mjs": `export default function helper() {}\n`,
  "py/shop/__init__.py": `VERSION = "1"\n`,
  "py/shop/cart.py": `from .price import Price
from shop import price as other
import os

LIMIT = 3

class Cart:
    @property
    def total(self):
        return price_of(self)

    async def load(self): ...

def price_of(cart: Cart) -> Price:
    return Price(cart)
`,
  "py/shop/price.py": `class Price:\n    pass\n`,
  "py/tests/test_cart.py": `from shop.cart import Cart\n`,
  "go.mod": "module example.org/shop\n",
  "cmd/main.go": `package main

import (
	"fmt"
	"example.org/shop/store"
)

func main() { fmt.Println(store.Open().Total()) }
`,
  "store/store.go": `package store

const Limit = 3

var Default = Open()

type Store struct{ lines []int }

type Totaler interface{ Total() int }

type ID string

func Open() *Store { return &Store{} }

func (s *Store) Total() int { return len(s.lines) }
`,
  "rs/src/lib.rs": `mod cart;
use crate::cart::Cart;
use std::fmt;
pub const LIMIT: u32 = 1;
pub fn run(cart: &Cart) -> u32 { cart.total() }
macro_rules! shop { () => {} }
`,
  "rs/src/cart.rs": `pub struct Cart { lines: Vec<u32> }
pub enum Size { Small }
pub trait Totals { fn total(&self) -> u32; }
impl Totals for Cart {
    fn total(&self) -> u32 { 1 }
}
type Lines = Vec<u32>;
`,
  "jv/src/org/shop/Cart.java": `package org.shop;
import org.shop.price.Price;
import java.util.List;
public class Cart {
  public static final int LIMIT = 3;
  public Cart() {}
  @Override public int total() { return new Price().cents(); }
  interface Line {}
  enum Size { SMALL }
}
`,
  "jv/src/org/shop/price/Price.java": `package org.shop.price;
public record Price() { public int cents() { return 1; } }
`,
  "jv/test/org/shop/CartTest.java": "package org.shop;\nclass CartTest {}\n",
  "cs/Cart.cs": `using System;
namespace Shop {
  public interface ILine { int Total(); }
  public struct Point {}
  public enum Size { Small }
  public class Cart {
    const int Limit = 3;
    public Cart() {}
    public int Count { get; set; }
    public int Total() { return Count; }
  }
}
`,
  "rb/lib/cart.rb": `require_relative "price"
module Shop
  LIMIT = 3
  class Cart
    def total; price_of(self); end
    def empty?; true; end
    def self.open; new; end
  end
end
def price_of(cart) = Price.new
`,
  "rb/lib/price.rb": "class Price; end\n",
  "rb/spec/cart_spec.rb": `require "cart"\n`,
  "ph/src/Cart.php": `<?php
namespace App\\Shop;
use App\\Price\\Money;
const LIMIT = 3;
interface Line {}
trait Totals { function total() { return 1; } }
enum Size { case Small; }
class Cart { const MAX = 1; public function total() { return new Money(); } }
function open_cart() {}
`,
  "ph/src/Price/Money.php": "<?php\nnamespace App\\Price;\nclass Money {}\n",
  "sh/run.sh": `#!/bin/sh
. "$(dirname "$0")/shared.sh"
LIMIT=3
total() { echo 1; }
total | cat
`,
  "sh/shared.sh": "function shared { :; }\n",
  "cc/cart.cpp": `#include "cart.h"
#include <vector>
#define LIMIT 3
namespace shop {
int Cart::total() const { return 1; }
static int *find(int a) { return 0; }
}
`,
  "cc/cart.h": `struct Line { int cents; };
class Cart { public: int total() const; int size() { return 1; } };
enum Size { SMALL };
typedef unsigned int id_t;
`,
};
