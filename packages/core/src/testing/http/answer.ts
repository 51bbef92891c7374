import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** A response as the client received it. */
export interface Answer {
  readonly status: number;
  /** By lower-case name; several lines of a name joined as by Node. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Returns the lines of a header field. */
  lines(name: string): readonly string[];
  /** Returns the parsed body. */
  json(): Record<string, unknown>;
}

/** Reads a response to its end; rejects if it is cut off. */
export async function answerOf(message: IncomingMessage): Promise<Answer> {
  message.setEncoding("utf8");
  let text = "";
  for await (const chunk of message) text += chunk as string;
  const { statusCode = 0, headers, rawHeaders } = message;
  return {
    status: statusCode,
    headers,
    text,
    lines: (name) =>
      rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name),
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}
