/** What a policy is called whose options give no name; whoever gives this one gives none. */
export const defaultPolicyName = "default";

/** The longest name that a policy may have, in characters. */
export const maxPolicyName = 128;

export const policyNamePattern: RegExp = new RegExp(`^[\\x20-\\x7e]{1,${maxPolicyName}}$`);

/** Says what a name is. */
export const aPolicyName: string = `a string of 1 to ${maxPolicyName} printable ASCII characters`;
