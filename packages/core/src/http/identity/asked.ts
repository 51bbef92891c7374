import { type Awaitable, isPromise } from "../../awaitable.ts";

/** What functions of the options were asked about a request, the latest first. */
export class Asked {
  declare readonly ask: Question;
  declare readonly text: string | undefined;
  /** The context of the limiter that it is for; undefined if it is for all of them. */
  declare readonly asker: object | undefined;
  /** Returns the answer or its promise, or throws what was thrown. */
  declare readonly answer: () => Awaitable<unknown>;
  declare readonly earlier: Asked | undefined;

  constructor(
    ask: Question,
    text: string | undefined,
    asker: object | undefined,
    answer: () => Awaitable<unknown>,
    earlier: Asked | undefined,
  ) {
    this.ask = ask;
    this.text = text;
    this.asker = asker;
    this.answer = answer;
    this.earlier = earlier;
  }
}

/** A function of a request, or of a text and the request that has it. */
export type Question = (...told: never[]) => Awaitable<unknown>;

/** The parts of a request's context that a question needs. */
export interface AskedRequest {
  readonly req: unknown;
  /** Where answers are kept; left out where there is no such place. */
  state?(): { asked: Asked | undefined };
}

/**
 * Asks a function of the options about a request, or about a text in it, and returns its answer. It is called once for
 * each limiter that the request meets, however many policies ask: they share its answer, its promise or its error. A
 * function that takes the text alone is called once for all limiters. One that takes the request is not, since
 * middleware between them may have changed what it reads.
 */
export function answerOf(context: AskedRequest, ask: Question, text?: string): Awaitable<unknown> {
  const told = (text === undefined ? [context.req] : [text, context.req]) as never[];
  const state = context.state?.();
  if (!state) return ask(...told);
  const asker = text !== undefined && ask.length < 2 ? undefined : context;
  for (let one = state.asked; one; one = one.earlier) {
    if (one.ask === ask && one.text === text && one.asker === asker) return one.answer();
  }
  const answer = kept(() => ask(...told));
  state.asked = new Asked(ask, text, asker, answer, state.asked);
  return answer();
}

function kept(ask: () => Awaitable<unknown>): () => Awaitable<unknown> {
  try {
    const answer = ask();
    // Queries that are thenables run again each time that they are waited for.
    const known = isPromise(answer) ? Promise.resolve(answer) : answer;
    return () => known;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
