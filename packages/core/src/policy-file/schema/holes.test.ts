import { describe, expect, it } from "vitest";
import { policiesFrom } from "../index.ts";

function messageOf(options: object): string {
  try {
    policiesFrom({ limit: 5, window: "1m", ...options });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("braces in the texts of an answer", () => {
  it.each([
    ["{retryafter}", "retryAfter"],
    ["Wait {retry_after} s", "retryAfter"],
    ["Wait {retry-after} s", "retryAfter"],
    ["Wait {retryAftr} s", "retryAfter"],
    ["{{retryAfter}}", "retryAfter"],
    [`Wait \${retryAfter} s`, "retryAfter"],
    ["{Limit}", "limit"],
    ["{limit} {remaning}", "remaining"],
  ])("are told where they are misspelt: %s", (text, meant) => {
    const told = `filled in (did you mean {${meant}}?), received ${JSON.stringify(text)}`;
    const answer = { answer: { body: { a: [text] } } };
    for (const [part, path] of [
      [{ body: { value: text } }, "body.value"],
      [{ ban: { for: "1m", body: { value: [text] } } }, "ban.body.value[0]"],
      [{ action: answer }, "action.answer.body.a[0]"],
    ] as const) {
      const message = messageOf(part);
      expect(message).toContain(`${path}: expected a string in which {retryAfter}, {limit}`);
      expect(message).toContain(told);
    }
  });

  it.each([
    "{retryAfter}",
    "{retryAfter}s of {limit}",
    "{name}",
    "{unit}",
    "100 %s",
    "{}",
    `\${limit}`,
  ])("are let be where they are right, or of nobody else's language: %s", (text) => {
    expect(messageOf({ body: { value: text } })).toBe("");
  });

  it("are told in headers, where nothing is filled in", () => {
    const action = { answer: { headers: { "retry-after": "{retryAfter}" } } };
    expect(messageOf({ action })).toContain(
      "headers.retry-after: expected a string without braces, which are filled in only in a body",
    );
  });
});
