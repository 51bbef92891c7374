/** Has the functions of an algorithm in Lua, line for line: expressions, of the arguments that the algorithm's have. */
export interface LuaFunctions {
  /** Statements that come before: locals that the functions use. */
  readonly helpers: string;
  readonly take: string;
  readonly mark: string;
  readonly give: string;
  readonly expires: string;
  /** Of rings only. */
  readonly report?: string;
  /** Of rings only: tells a state from anything else. */
  readonly valid?: string;
  /** `"true"` where refusals are counted, so that one is kept of a key never seen. */
  readonly keepsRefusals?: "true";
}

/** An algorithm in Lua. */
export interface LuaTwin extends LuaFunctions {
  /** All of it as one expression: a table of the functions. */
  readonly table: string;
}

/** Joins the functions to a twin. */
export function luaTwin(functions: LuaFunctions): LuaTwin {
  const { helpers, ...fields } = functions;
  const listed = Object.entries(fields).map(([name, lua]) => `${name} = ${lua}`);
  return {
    ...functions,
    table: `(function()\n${helpers}\nreturn {\n${listed.join(",\n")}\n}\nend)()`,
  };
}
