export { type CheckPoliciesOptions, checkPolicies } from "./check-policies.ts";
export type { Functions } from "./function-book.ts";
export {
  type FilePolicies,
  type PolicyFileOptions,
  parsePolicies,
  policiesFrom,
  type WithoutHttp,
} from "./parse-policies.ts";
export { type PolicyFile, policyFile } from "./policy-file.ts";
export { PolicyFileError, type PolicyProblem, problemText } from "./policy-file-error.ts";
export { readPolicyFile } from "./read-policy-file.ts";
