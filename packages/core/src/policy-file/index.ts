export type { After } from "./after.ts";
export { type CheckPoliciesOptions, checkPolicies } from "./check-policies.ts";
export type { Functions } from "./function-book.ts";
export type { KeptPolicies } from "./kept-policies.ts";
export {
  type FilePolicies,
  parsePolicies,
  policiesFrom,
  type WithoutHttp,
} from "./parse-policies.ts";
export { type PolicyFile, policyFile } from "./policy-file.ts";
export { PolicyFileError, type PolicyProblem, problemText } from "./policy-file-error.ts";
export {
  type KeepPoliciesOptions,
  type LoadPolicies,
  type PolicyVersion,
  type PollPoliciesOptions,
  pollPolicies,
} from "./poll-policies.ts";
export { readPolicyFile } from "./read-policy-file.ts";
export type { PolicyFileOptions } from "./reader-options.ts";
export { type WatchPoliciesOptions, watchPolicies } from "./watch-policies.ts";
