/** The tables that the source declares, for tests that compare them with a database. */
const src = decodeURIComponent(new URL("../../src", import.meta.url).pathname);

export async function* sources(folder = src): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

interface Declared {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
}

export async function declaredTables(): Promise<Declared[]> {
  const paths = (await Array.fromAsync(sources())).filter((path) => path.endsWith("_table.ts"));
  return await Promise.all(paths.map(async (path) => (await import(`file://${path}`)).table));
}
