import { OutgoingMessage } from "node:http";

const sent = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, "headersSent")?.get;

/**
 * Whether the head of a response is written, by Node's own getter: others redefine `headersSent` for what they have
 * sent themselves. The response's own property if it is not Node's; that of a test double may be undefined.
 */
export function isHeadSent(res: { readonly headersSent: boolean }): boolean | undefined {
  return sent && res instanceof OutgoingMessage ? (sent.call(res) as boolean) : res.headersSent;
}
