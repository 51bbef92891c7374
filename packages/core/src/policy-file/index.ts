export { type CheckPoliciesOptions, checkPolicies } from "./check-policies.ts";
export type { After } from "./live/after.ts";
export type { KeptPolicies } from "./live/kept-policies.ts";
export {
  type KeepPoliciesOptions,
  type LoadPolicies,
  type PolicyVersion,
  type PollPoliciesOptions,
  pollPolicies,
} from "./live/poll-policies.ts";
export { type WatchPoliciesOptions, watchPolicies } from "./live/watch-policies.ts";
export type { Functions } from "./options/function-book.ts";
export {
  type FilePolicies,
  parsePolicies,
  policiesFrom,
  type WithoutHttp,
} from "./parse-policies.ts";
export { PolicyFileError, type PolicyProblem, problemText } from "./policy-file-error.ts";
export { readPolicyFile } from "./read-policy-file.ts";
export type { PolicyFileOptions } from "./reader-options.ts";
export { type PolicyFile, policyFile } from "./schema/policy-file.ts";
