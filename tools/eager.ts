/**
 * Puts functions that starts call in parentheses: V8 compiles those with their file and keeps them in its code cache,
 * and any other at its first call, in each thread of each start. Methods of classes cannot stand in parentheses.
 */
import { RolldownMagicString } from "rolldown";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

interface Callable {
  /** The names around it, such as `openStore.close`; a nameless one has those of what it stands in. */
  readonly path: string;
  /** Where V8 says that it begins: at its parameters. */
  readonly at: number;
  putInParentheses(text: RolldownMagicString): void;
}

/** What linkers put behind a name that is taken says nothing of the function. */
const withoutNumber = (name: string) => name.replace(/\$?\d+$/, "");

const wordsOf = ({ async, generator }: ESTree.Function) =>
  `${async ? "async " : ""}function${generator ? "*" : ""}`;

function around({ start, end }: ESTree.Span): Callable["putInParentheses"] {
  return (text) => void text.appendLeft(start, "(").prependRight(end, ")");
}

function nameOf(node: ESTree.Expression | ESTree.PropertyKey | ESTree.BindingPattern | null) {
  return node?.type === "Identifier" ? withoutNumber(node.name) : undefined;
}

/** Outermost first. */
function callablesOf(code: string): readonly Callable[] {
  const { program } = parseSync("linked.js", code);
  const start = program.body.find(({ type }) => type !== "ImportDeclaration")?.start ?? 0;
  const declared = new Set(program.body);
  const methods = new Set<ESTree.Node>();
  const names: string[] = [];
  const found: Callable[] = [];
  const add = (at: number, putInParentheses: Callable["putInParentheses"]) =>
    found.push({ path: names.join("."), at, putInParentheses });
  const enter = (name: string | undefined) => name !== undefined && names.push(name);
  const leave = (name: string | undefined) => name !== undefined && names.pop();
  const parametersOf = ({ id, start }: ESTree.Function) => code.indexOf("(", id?.end ?? start);

  new Visitor({
    VariableDeclarator: ({ id }) => void enter(nameOf(id)),
    "VariableDeclarator:exit": ({ id }) => void leave(nameOf(id)),
    MethodDefinition: ({ value }) => void methods.add(value),
    Property(node) {
      enter(nameOf(node.key));
      const { key, value, kind, method, computed } = node;
      if (value.type !== "FunctionExpression" || kind === "init" && !method) return;
      methods.add(value);
      if (kind !== "init" || computed || /\bsuper\b/.test(code.slice(node.start, node.end))) return;
      const name = code.slice(key.start, key.end);
      add(value.start, (text) => {
        text.overwrite(node.start, value.start, `${name}: (${wordsOf(value)}`);
        text.prependRight(value.end, ")");
      });
    },
    "Property:exit": ({ key }) => void leave(nameOf(key)),
    FunctionExpression(node) {
      if (!methods.has(node)) add(parametersOf(node), around(node));
    },
    ArrowFunctionExpression: (node) => void add(node.start, around(node)),
    FunctionDeclaration(node) {
      enter(nameOf(node.id));
      if (!declared.has(node)) return;
      const at = parametersOf(node);
      // Whatever the file does first may call it, as it may call a declaration.
      add(at, (text) => {
        text.overwrite(node.start, at, `var ${node.id!.name} = (${wordsOf(node)}`);
        text.appendLeft(node.end, ");\n");
        if (start < node.start) text.move(node.start, node.end, start);
      });
    },
    "FunctionDeclaration:exit": ({ id }) => void leave(nameOf(id)),
  }).visit(program);
  return found;
}

/** @param at where functions begin; all of them without it @returns their names */
export function namesAt(code: string, at?: ReadonlySet<number>): readonly string[] {
  return callablesOf(code).filter((one) => at?.has(one.at) ?? true).map(({ path }) => path);
}

/** @param called names as `namesAt` gives them; a name that nothing has any more changes nothing */
export function eager(code: string, called: ReadonlySet<string>): string {
  const text = new RolldownMagicString(code);
  for (const one of callablesOf(code)) if (called.has(one.path)) one.putInParentheses(text);
  return text.toString();
}
