/** The least that an agent loop can be on this platform: what bench/run.ts measures svc beside. */
const [url, command] = Deno.args as [string, string];
const tools = ["read", "edit", "run", "finish"].map((name) => ({
  type: "function",
  function: { name, description: name, parameters: { type: "object", properties: {} } },
}));
const messages: unknown[] = [{ role: "system", content: "# Role: minimal" }, {
  role: "user",
  content: "Mend add.sh",
}];
for (;;) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "fixture-model", messages, tools }),
  });
  const { message } = (await response.json()).choices[0];
  messages.push(message);
  const call = message.tool_calls[0];
  const args = JSON.parse(call.function.arguments);
  if (call.function.name === "finish") break;
  let content = "";
  if (call.function.name === "read") content = await Deno.readTextFile(args.path);
  if (call.function.name === "edit") {
    const text = await Deno.readTextFile(args.path);
    await Deno.writeTextFile(args.path, text.replace(args.old, args.new));
  }
  if (call.function.name === "run") {
    const [program, ...rest] = command.split(" ");
    const { stdout } = await new Deno.Command(program!, { args: rest }).output();
    content = new TextDecoder().decode(stdout);
  }
  messages.push({ role: "tool", tool_call_id: call.id, content });
}
