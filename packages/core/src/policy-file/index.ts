export { PolicyFileError, type PolicyProblem, problemText } from "./policy-file-error.ts";
