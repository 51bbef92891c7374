import { type DocumentNode, Lexer, parse, Source, TokenKind } from "graphql";

/** What became of a string: a document of so many tokens, none, or more than may be read. */
export type Parsed =
  | { readonly document: DocumentNode; readonly tokens: number }
  | { readonly document: undefined; readonly tokens: number; readonly tooLong: boolean };

/** Parses a string of at most so many tokens, comments apart. Never throws. */
export function parseQuery(text: string, maxTokens: number): Parsed {
  try {
    const document = parse(text, { maxTokens, noLocation: true });
    // Releases before 16.10 do not tell, those before 16.6 do not heed.
    const tokens = document.tokenCount ?? tokensIn(text, maxTokens);
    if (tokens <= maxTokens) return { document, tokens };
    return { document: undefined, tokens, tooLong: true };
  } catch (error) {
    // Nested deeper than calls go: a server would fail at it too, if not so quietly.
    const tooDeep = (error as Error).name === "RangeError";
    const tooLong = text.length > maxTokens && tokensIn(text, maxTokens) > maxTokens;
    // Where it ends is not known; that many in a batch are work all the same.
    return { document: undefined, tokens: 1, tooLong: tooDeep || tooLong };
  }
}

/** Counts tokens up to one more than the most; as far as they can be read. */
function tokensIn(text: string, most: number): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (count <= most && lexer.advance().kind !== TokenKind.EOF) count++;
  } catch {
    // What cannot be read is no document, however long.
  }
  return count;
}
