/** Ways to write a path that some router treats as the same, and some that none does; Node accepts them all. */
const rewrites: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  (path) => `${path}/`,
  (path) => path.slice(0, path.lastIndexOf("/") + 1),
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.replace(/(.)\//, "$1//"),
  (path) => path.replace(/[a-z]/i, encoded),
  (path) => path.replace(/[^/%]/g, encoded).toLowerCase(),
  (path) => path.replace(/[^/%]$/, encoded),
  (path) => path.replace(/(.)\//, "$1%2F"),
  (path) => path.replaceAll("%", "%25"),
  (path) => `${path}%2f`,
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}%C3%A9`,
  (path) => `${path}\u00e9`,
  (path) => `${path}?x=/1`,
  (path) => `${path}#/x`,
  (path) => `${path}?#`,
  (path) => `${path};x=1`,
  (path) => path.replace(/(.)\//, "$1;x/"),
  (path) => path.replace("/", "/./"),
  (path) => path.replace("/", "/x/../"),
  (path) => `${path}/.`,
  (path) => path.replace(/(.)\//g, "$1\\"),
  (path) => path.replace(/(.)\//, "$1\\"),
  (path) => `http://host${path}`,
  (path) => `HTTP://user@host:80${path}`,
  (path) => `http://host?${path}`,
  (path) => path.replace("/", "*"),
  (path) => `//user@host${path}`,
  (path) => `//host${path}`,
  (path) => path.replace(/(.)\//, "$1//user@host/"),
  (path) => `${path} x`.replace(" ", "+"),
];

/** Returns a path rewritten in each of these ways, and in many combinations of two. */
export function spellingsOf(path: string): string[] {
  const spellings = rewrites.flatMap((first, i) =>
    rewrites.flatMap((second, j) =>
      i === 0 || j === 0 || (i * 5 + j) % every === 0 ? [second(first(path))] : [],
    ),
  );
  return [...new Set(spellings)];
}

/** Returns ways to write a host in a `Host` header that some application treats as the same. */
export function hostSpellingsOf(host: string): string[] {
  const ports = ["", ":80", ":", ":x", ":80:90", ",b.example", ", b.example", " :80"];
  const users = ["", "user@", "user:80@", ":@", "@"];
  return users.flatMap((user) => [
    ...ports.map((port) => user + host + port),
    user + host.toUpperCase(),
    `${host}:80@b.example${user}`,
  ]);
}

/** Uses every 23rd combination; 1 would use all, but take longer. */
const every = 23;

function encoded(text: string): string {
  return `%${text.charCodeAt(0).toString(16).toUpperCase()}`;
}
