/** The functions of an algorithm in Lua, line by line: expressions with the same parameters. */
export interface LuaFunctions {
  /** Statements that come first: locals that the functions use. */
  readonly helpers: string;
  readonly take: string;
  readonly mark: string;
  readonly give: string;
  readonly expires: string;
  /** Rings only. */
  readonly report?: string;
  /** Rings only: whether a value is a state. */
  readonly valid?: string;
  /** `"true"` if refusals are counted, so that one creates a key never seen. */
  readonly keepsRefusals?: "true";
}

/** An algorithm in Lua. */
export interface LuaTwin extends LuaFunctions {
  /** All of it as one expression: a table of the functions. */
  readonly table: string;
}

/** Creates a twin from its functions. */
export function luaTwin(functions: LuaFunctions): LuaTwin {
  const { helpers, ...fields } = functions;
  const listed = Object.entries(fields).map(([name, lua]) => `${name} = ${lua}`);
  return {
    ...functions,
    table: `(function()\n${helpers}\nreturn {\n${listed.join(",\n")}\n}\nend)()`,
  };
}
