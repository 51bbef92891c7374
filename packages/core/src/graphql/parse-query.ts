import { type DocumentNode, Lexer, parse, Source, TokenKind } from "graphql";

/** The result of parsing: a document and its tokens, no document, or a text with too many tokens. */
export type Parsed =
  | { readonly document: DocumentNode; readonly tokens: number }
  | { readonly document: undefined; readonly tokens: number; readonly tooLong: boolean };

/** Parses a text of at most `maxTokens` tokens, not counting comments. Never throws. */
export function parseQuery(text: string, maxTokens: number): Parsed {
  try {
    const document = parse(text, { maxTokens, noLocation: true });
    // graphql before 16.10 does not count tokens, and before 16.6 ignores `maxTokens`.
    const tokens = document.tokenCount ?? tokensIn(text, maxTokens);
    if (tokens <= maxTokens) return { document, tokens };
    return { document: undefined, tokens, tooLong: true };
  } catch (error) {
    // Nested deeper than calls can go: a server would fail too, though less quietly.
    const tooDeep = (error as Error).name === "RangeError";
    const tooLong = text.length > maxTokens && tokensIn(text, maxTokens) > maxTokens;
    // The number of tokens is unknown; still, many such texts in a batch are work.
    return { document: undefined, tokens: 1, tooLong: tooDeep || tooLong };
  }
}

/** Counts tokens until one more than `most`, or until they are unreadable. */
function tokensIn(text: string, most: number): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (count <= most && lexer.advance().kind !== TokenKind.EOF) count++;
  } catch {
    // An unreadable text is not a document, however long.
  }
  return count;
}
