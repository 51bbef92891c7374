import { OutgoingMessage } from "node:http";

const sent = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, "headersSent")?.get;

/**
 * Whether the head of an answer is written, by Node's own word: others put a `headersSent` on a response that tells of
 * what they have sent themselves. As it says of itself where it is not Node's; what stands in for a response in a test
 * may not know.
 */
export function isHeadSent(res: { readonly headersSent: boolean }): boolean | undefined {
  return sent && res instanceof OutgoingMessage ? (sent.call(res) as boolean) : res.headersSent;
}
