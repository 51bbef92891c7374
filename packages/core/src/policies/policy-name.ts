/** The name of a policy whose options give none; giving this one is the same as giving none. */
export const defaultPolicyName = "default";

/** Maximum length of a policy's name, in characters. */
export const maxPolicyName = 128;

/** Matches valid names. */
export const policyNamePattern: RegExp = new RegExp(`^[\\x20-\\x7e]{1,${maxPolicyName}}$`);

/** Describes a valid name, for messages. */
export const aPolicyName: string = `a string of 1 to ${maxPolicyName} printable ASCII characters`;
