/** Server-sent events read from a response (WHATWG HTML 9.2.6), since a request must be able to name the last event seen. */

export interface SseMessage {
  readonly id: string;
  readonly data: string;
}

export function sseParser(tell: (message: SseMessage) => void): (text: string) => void {
  let rest = "";
  let id = "";
  let data: string[] = [];
  const take = (line: string) => {
    if (line === "") {
      if (data.length > 0) tell({ id, data: data.join("\n") });
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment keeps the connection alive
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
  };
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  };
}
