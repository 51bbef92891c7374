/** @typedef {AsyncIterable<{ text: string; tokens: number }>} Completion */

/**
 * Makes a handler that streams an answer, and settles what it took in place of what was reserved.
 *
 * @param {(question: string) => Completion} complete
 * @returns {import("express").RequestHandler}
 */
export function chat(complete) {
  return async (req, res) => {
    let used = 0;
    res.type("text/plain");
    try {
      for await (const { text, tokens } of complete(String(req.body?.question ?? ""))) {
        // whoever left has paid for what was made
        if (res.destroyed) break;
        used += tokens;
        res.write(text);
      }
      res.end();
    } finally {
      // the file may have no such policy
      const charged = req.rateLimit?.statuses.some(({ policy }) => policy === "tokens");
      if (charged) await req.rateLimit?.settle({ tokens: used });
    }
  };
}

/**
 * Stands in for a model: it knows nothing but the question, word by word.
 *
 * @param {string} question
 * @returns {Completion}
 */
export async function* echo(question) {
  for (const text of question.split(/(?<=\s)/)) yield { text, tokens: Math.ceil(text.length / 4) };
}
