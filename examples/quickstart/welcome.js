/**
 * Says where the server listens, and how to see its limit.
 *
 * @param {number} port
 */
export function welcome(port) {
  const url = `http://localhost:${port}`;
  return `
Listening on ${url}: 20 requests a minute per client. Ctrl-C ends it.
See the headers, and the 21st request refused:

  ${curlLine(url)}
`;
}

/** @param {string} url */
function curlLine(url) {
  return `for i in $(seq 21); do curl -si ${url} | grep -iE '^(http|x-rate|retry|[{])'; echo; done`;
}
