/**
 * Evaluates the small part of Lua 5.1 that decides and stores: local names, numbers, tables, `math.floor`, `ceil`,
 * `min` and `max`, and fields of local tables. Throws a SyntaxError for everything else (a global name, a string, a
 * comment), so that the code it accepts can neither see a clock nor touch a key. Returns the value of the expression:
 * numbers are doubles, as in Redis, and tables are arrays whose index 0 is unused.
 */
export function luaArithmetic(text: string): unknown {
  const reader = readerOf(text);
  const code = expression(reader, [["math"]]);
  if (reader.peek() !== undefined) throw new SyntaxError(`more follows: ${reader.peek()}`);
  return new Function("$math", "and", "or", "not", "mod", `return ${code}`)(
    math,
    (a: unknown, b: () => unknown) => (isTrue(a) ? b() : a),
    (a: unknown, b: () => unknown) => (isTrue(a) ? a : b()),
    (a: unknown) => !isTrue(a),
    // As defined by Lua 5.1.
    (a: number, b: number) => a - Math.floor(a / b) * b,
  );
}

const math = {
  floor: (n: number) => [Math.floor(n)],
  ceil: (n: number) => [Math.ceil(n)],
  min: (...numbers: number[]) => [Math.min(...numbers)],
  max: (...numbers: number[]) => [Math.max(...numbers)],
};

const keywords = new Set(
  "and do else elseif end false for function if local nil not or return then true while".split(" "),
);

const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["<", ">", "<=", ">=", "==", "~="],
  ["+", "-"],
  ["*", "/", "%"],
];

interface Reader {
  peek(ahead?: number): string | undefined;
  next(expected?: string): string;
  accept(token: string): boolean;
}

type Scopes = readonly string[][];

// 0 is true in Lua.
function isTrue(value: unknown): boolean {
  return value !== false && value !== undefined;
}

function readerOf(text: string): Reader {
  const tokens: string[] = [];
  const pattern = /\s+|([A-Za-z_]\w*|\d+|[<>=~]=|[-+*/%<>=()[\]{},.])/y;
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match || text.startsWith("--", from))
      throw new SyntaxError(`at ${text.slice(from, from + 20)}`);
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  let at = 0;
  return {
    peek: (ahead = 0) => tokens[at + ahead],
    next(expected) {
      const token = tokens[at++];
      if (token === undefined || (expected !== undefined && token !== expected)) {
        throw new SyntaxError(`expected ${expected ?? "more"}, found ${token}`);
      }
      return token;
    },
    accept: (token) => tokens[at] === token && at++ >= 0,
  };
}

function isName(token: string | undefined): boolean {
  return token !== undefined && /^[A-Za-z_]/.test(token) && !keywords.has(token);
}

function nameIn(reader: Reader, scopes: Scopes): string {
  const name = reader.next();
  if (!isName(name)) throw new SyntaxError(`expected a name, found ${name}`);
  if (!scopes.some((scope) => scope.includes(name))) throw new SyntaxError(`unknown name ${name}`);
  return `$${name}`;
}

function block(reader: Reader, outer: Scopes, names: readonly string[] = []): string {
  const scopes = [...outer, [...names]];
  let code = "";
  while (!["end", "else", "elseif"].includes(reader.peek() ?? "end"))
    code += statement(reader, scopes);
  return `{${code}}`;
}

function statement(reader: Reader, scopes: Scopes): string {
  if (reader.accept("local")) return local(reader, scopes);
  if (reader.accept("if")) return branches(reader, scopes);
  if (reader.accept("return")) {
    const empty = ["end", "else", "elseif"].includes(reader.peek() ?? "end");
    return `return [${empty ? "" : list(reader, scopes, expression)}];`;
  }
  if (reader.accept("while")) {
    const condition = `while(!not(${expression(reader, scopes)}))`;
    return condition + enclosed(reader, scopes);
  }
  if (reader.accept("for")) return counted(reader, scopes);
  const targets = [suffixed(reader, scopes)];
  if (targets[0]!.endsWith(")[0]")) return `${targets[0]};`;
  while (reader.accept(",")) targets.push(suffixed(reader, scopes));
  reader.next("=");
  return `;[${targets.join(",")}]=${values(reader, scopes, targets.length)};`;
}

function enclosed(reader: Reader, scopes: Scopes, names?: readonly string[]): string {
  reader.next("do");
  const code = block(reader, scopes, names);
  reader.next("end");
  return code;
}

function branches(reader: Reader, scopes: Scopes): string {
  let code = `if(!not(${expression(reader, scopes)}))`;
  reader.next("then");
  code += block(reader, scopes);
  if (reader.accept("elseif")) return `${code}else ${branches(reader, scopes)}`;
  if (reader.accept("else")) code += `else${block(reader, scopes)}`;
  reader.next("end");
  return code;
}

function counted(reader: Reader, scopes: Scopes): string {
  const name = reader.next();
  reader.next("=");
  const from = expression(reader, scopes);
  reader.next(",");
  const to = expression(reader, scopes);
  const head = `for(let $${name}=${from},to=${to};$${name}<=to;$${name}++)`;
  return head + enclosed(reader, scopes, [name]);
}

function local(reader: Reader, scopes: Scopes): string {
  const scope = scopes[scopes.length - 1]!;
  if (reader.accept("function")) {
    const name = reader.next();
    scope.push(name);
    return `const $${name}=${functionOf(reader, scopes)};`;
  }
  const names = [reader.next()];
  while (reader.accept(",")) names.push(reader.next());
  const left = names.map((name) => `$${name}`).join(",");
  const right = reader.accept("=") ? values(reader, scopes, names.length) : "[]";
  scope.push(...names);
  return `let [${left}]=${right};`;
}

/** Parses the right side of an assignment: a single call may return several values. */
function values(reader: Reader, scopes: Scopes, wanted: number): string {
  const right = list(reader, scopes, expression);
  return wanted > 1 && right.length === 1
    ? right[0]!.replace(/\[0\]$/, "")
    : `[${right.join(",")}]`;
}

function list<T>(reader: Reader, scopes: Scopes, item: (reader: Reader, scopes: Scopes) => T): T[] {
  const items = [item(reader, scopes)];
  while (reader.accept(",")) items.push(item(reader, scopes));
  return items;
}

function functionOf(reader: Reader, scopes: Scopes): string {
  reader.next("(");
  const names: string[] = [];
  while (!reader.accept(")")) {
    names.push(reader.next());
    reader.accept(",");
  }
  const body = block(reader, scopes, names);
  reader.next("end");
  return `((${names.map((name) => `$${name}`).join(",")})=>{${body}return [];})`;
}

function expression(reader: Reader, scopes: Scopes, level = 0): string {
  if (level === levels.length) return unary(reader, scopes);
  let left = expression(reader, scopes, level + 1);
  for (let token = reader.peek(); levels[level]!.includes(token ?? ""); token = reader.peek()) {
    const operator = reader.next();
    const right = expression(reader, scopes, level + 1);
    if (operator === "and" || operator === "or") left = `${operator}(${left},()=>${right})`;
    else if (operator === "%") left = `mod(${left},${right})`;
    else left = `(${left}${{ "==": "===", "~=": "!==" }[operator] ?? operator}${right})`;
  }
  return left;
}

function unary(reader: Reader, scopes: Scopes): string {
  if (reader.accept("not")) return `not(${unary(reader, scopes)})`;
  if (reader.accept("-")) return `(-${unary(reader, scopes)})`;
  const token = reader.peek();
  if (/^\d/.test(token ?? "")) return reader.next();
  if (token === "true" || token === "false") return reader.next();
  if (reader.accept("nil")) return "undefined";
  if (reader.accept("function")) return functionOf(reader, scopes);
  if (reader.accept("{")) return table(reader, scopes);
  return suffixed(reader, scopes);
}

function suffixed(reader: Reader, scopes: Scopes): string {
  let code: string;
  if (reader.accept("(")) {
    code = `(${expression(reader, scopes)})`;
    reader.next(")");
  } else code = nameIn(reader, scopes);
  while (true) {
    if (reader.accept("[")) {
      code += `[${expression(reader, scopes)}]`;
      reader.next("]");
    } else if (reader.accept(".")) {
      const member = reader.next();
      if (code === "$math" && !(member in math)) throw new SyntaxError(`unknown member ${member}`);
      code += `.${member}`;
    } else if (reader.accept("(")) {
      const args = reader.peek() === ")" ? [] : list(reader, scopes, expression);
      reader.next(")");
      code = `${code}(${args.join(",")})[0]`;
    } else return code;
  }
}

function table(reader: Reader, scopes: Scopes): string {
  const named: string[] = [];
  const places: string[] = [];
  while (!reader.accept("}")) {
    if (isName(reader.peek()) && reader.peek(1) === "=") {
      const name = reader.next();
      reader.next("=");
      named.push(`${name}:${expression(reader, scopes)}`);
    } else places.push(expression(reader, scopes));
    if (!reader.accept(",") && reader.peek() !== "}") throw new SyntaxError("expected , or }");
  }
  return named.length > 0 ? `({${named.join(",")}})` : `[undefined,${places.join(",")}]`;
}
