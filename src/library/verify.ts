// What the small entry has beside its functions.
export { ERRORS, type ErrorCode } from '../model/error.ts'
export { VERDICTS, type Verdict } from '../model/verdict.ts'
