import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** What a client received. */
export interface Answer {
  readonly status: number;
  /** By lower-case name; several lines of one name as Node joins them. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The lines of a header field, one each. */
  lines(name: string): readonly string[];
  /** The body, parsed. */
  json(): Record<string, unknown>;
}

/** Reads an answer to its end; rejects where it breaks off. */
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
